"""``desktop-entry``: add Tautpath to the application menu of the current user, or remove it.

For Linux and BSD desktops. A separate environment, such as one of pipx, is outside the
folders in which desktops look for entries, and its ``bin`` may be missing from their
``PATH``. The installed entry therefore names the program by its absolute path.

Source: Desktop Entry Specification 1.5, "The Exec key"; XDG Base Directory
Specification 0.8.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from solvers.commands.console import Console
from solvers.errors import FileNotWritten, Unavailable
from solvers.program import installed_command
from solvers.system import former_name
from solvers.system.files import RESOURCES, reason_of, replace_atomically, writing

NAME = "tautpath"
_ENTRY, _MIME = "applications", "mime"
# Desktops notice new files by themselves or after these; if a program is missing, so is
# the cache that it refreshes.
_REFRESH = {_ENTRY: "update-desktop-database", _MIME: "update-mime-database"}
_REFRESH_LIMIT_S = 60
_RESERVED = re.compile(r"[^A-Za-z0-9_./+,:@=-]")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--remove", action="store_true", help="delete the entry, the icon and the file type again"
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    home = user_data_home()
    if arguments.remove:
        removed = remove_desktop_entry(home)
        for path in removed:
            console.line(f"removed {path}")
        if not removed:
            console.line("There is no desktop entry of the current user.")
        return 0
    console.wrote(*install_desktop_entry(home, installed_command()))
    return 0


def user_data_home() -> Path:
    """The folder of the user's entries, icons and file types: ``XDG_DATA_HOME``, or
    ``~/.local/share``.
    """
    given = os.environ.get("XDG_DATA_HOME", "")
    return Path(given) if os.path.isabs(given) else Path.home() / ".local" / "share"


def entry_text(program: Sequence[str]) -> str:
    """The desktop entry that starts ``program`` with the files opened."""
    text = (RESOURCES / "desktop" / f"{NAME}.desktop").read_text("utf-8")
    values = {"TryExec": _string(program[0]), "Exec": " ".join([*map(_argument, program), "%F"])}
    lines = (line.partition("=") for line in text.splitlines())
    return "".join(f"{key}{equals}{values.get(key, value)}\n" for key, equals, value in lines)


def install_desktop_entry(data_home: Path, program: Sequence[str]) -> tuple[Path, ...]:
    """Write entry, icon and file type of sessions, replacing those of an earlier
    installation; returns the files.

    ``program`` is the absolute path of the program, and its first arguments. Raises
    Unavailable on Windows and macOS, whose menus work differently; FileNotWritten.
    """
    _require_desktop()
    _delete(_paths(data_home, former_name.NAME))
    source = RESOURCES
    contents = (
        entry_text(program),
        (source / "icons" / f"{NAME}.svg").read_text("utf-8"),
        (source / "desktop" / f"{NAME}.xml").read_text("utf-8"),
    )
    written = _paths(data_home, NAME)
    for path, text in zip(written, contents, strict=True):
        _make_folder(path.parent)
        with replace_atomically(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    _refresh(data_home)
    return written


def remove_desktop_entry(data_home: Path) -> tuple[Path, ...]:
    """Delete the files that `install_desktop_entry` wrote; returns those that existed.
    Raises as it does.
    """
    _require_desktop()
    removed = _delete(_paths(data_home, former_name.NAME) + _paths(data_home, NAME))
    if removed:
        _refresh(data_home)
    return removed


def _delete(paths: Iterable[Path]) -> tuple[Path, ...]:
    removed = []
    for path in paths:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FileNotWritten(path, reason_of(error)) from error
        removed.append(path)
    return tuple(removed)


def _paths(data_home: Path, name: str) -> tuple[Path, ...]:
    return (
        data_home / _ENTRY / f"{name}.desktop",
        data_home / "icons" / "hicolor" / "scalable" / "apps" / f"{name}.svg",
        data_home / _MIME / "packages" / f"{name}.xml",
    )


def _require_desktop() -> None:
    if sys.platform in ("win32", "darwin"):
        raise Unavailable(
            "Desktop entries exist on Linux and BSD only. Start the window with: tautpath"
        )


def _make_folder(folder: Path) -> None:
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


def _refresh(data_home: Path) -> None:
    for folder, program in _REFRESH.items():
        command = shutil.which(program)
        if command and (data_home / folder).is_dir():
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    [command, str(data_home / folder)],
                    capture_output=True,
                    timeout=_REFRESH_LIMIT_S,
                    check=False,
                )


def _argument(text: str) -> str:
    """One argument of the key Exec: quoted if it holds reserved characters; ``%``,
    which marks field codes, doubled.
    """
    if _RESERVED.search(text):
        text = '"' + re.sub(r'(["`$\\])', r"\\\1", text) + '"'
    return _string(text.replace("%", "%%"))


def _string(text: str) -> str:
    """A value of type string, in which a backslash is an escape."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
