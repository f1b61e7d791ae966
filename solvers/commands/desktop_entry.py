"""``desktop-entry``: put Tautline into the application menu of the current user, or take it out again."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console
from solvers.host.desktop_entry import install_desktop_entry, own_program, remove_desktop_entry, user_data_home


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--remove", action="store_true", help="delete the entry, the icon and the file type again")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    home = user_data_home()
    if arguments.remove:
        removed = remove_desktop_entry(home)
        for path in removed:
            console.line(f"removed {path}")
        if not removed:
            console.line("There is no desktop entry of the current user.")
        return 0
    for path in install_desktop_entry(home, own_program()):
        console.line(f"wrote {path}")
    return 0
