"""The program's door: command line or window, and what it says where there is no display."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

import main as program


@pytest.fixture
def no_display(monkeypatch):
    monkeypatch.setattr(program.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("arguments", [["variants", "--json"], ["--help"], ["--version"]])
def test_commands_go_to_the_command_line(monkeypatch, arguments):
    seen = []
    monkeypatch.setattr(
        program.cli, "main", lambda argv, **hooks: seen.append((argv, *hooks.values())) or 7
    )
    assert program.main(arguments) == 7
    assert seen == [
        (
            arguments,
            program.draw_picture,
            program.rehearse_window,
            program.rehearse_library,
        )
    ]


def test_without_a_display_it_says_how_to_go_on(no_display, capsys):
    assert program.main([]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "main.py demo" in err


def test_a_mistyped_command_is_not_taken_for_a_graph(capsys):
    assert program.main(["slove", "x.gr"]) == 2
    assert "Did you mean “solve”?" in capsys.readouterr().err


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_chosen_platform_counts_as_a_display_and_other_systems_always_have_one(
    no_display, monkeypatch, platform
):
    monkeypatch.setattr(program.sys, "platform", platform)
    assert program.has_display() == (platform == "darwin")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert program.has_display()


_INTERRUPTED = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, *_):
        if name == "solvers.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
import main
"""


_INTERRUPTED_AGAIN = """
import os, signal, sys
import main
from solvers import cli
from solvers.commands.console import Console

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)

cli._run = Console.error_line = interrupt
sys.argv[1:] = ["info", "nothing.gr"]
sys.exit(main.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX")
def test_ctrl_c_while_it_says_that_it_was_interrupted_ends_it_without_a_traceback() -> None:
    code = [sys.executable, "-c", _INTERRUPTED_AGAIN]
    done = subprocess.run(code, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX")
def test_ctrl_c_while_it_starts_ends_it_without_a_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    code = "import main, signal; print(signal.getsignal(2) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n"
