"""The entry of the application menu: what it starts, where it is written, and what is
left when it is removed.
"""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from solvers import cli
from solvers.commands import desktop_entry
from solvers.errors import FileNotWritten
from solvers.program import installed_command
from solvers.system import former_name

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="Linux and BSD have desktop entries"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share"


def entry(text: str) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser()
    parser.optionxform = str
    parser.read_string(text)
    return parser["Desktop Entry"]


def command(text: str) -> list[str]:
    """The arguments of the key Exec: escapes of the string first, then quotes and their
    escapes, then field codes.
    """
    value = re.sub(r"\\(.)", r"\1", entry(text)["Exec"])
    arguments = [
        quoted or plain for quoted, plain in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', value)
    ]
    return [re.sub(r"\\(.)", r"\1", argument).replace("%%", "%") for argument in arguments]


def test_install_and_remove(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["desktop-entry"]) == 0
    written = [Path(line.removeprefix("wrote ")) for line in capsys.readouterr().out.splitlines()]

    assert {path.name for path in written} == {"tautpath.desktop", "tautpath.svg", "tautpath.xml"}
    assert all(path.is_relative_to(home) and path.is_file() for path in written)
    text = (home / "applications" / "tautpath.desktop").read_text("utf-8")
    assert command(text) == [*installed_command(), "%F"]
    assert os.path.isabs(entry(text)["TryExec"])

    assert cli.main(["desktop-entry", "--remove"]) == 0
    assert not [path for path in written if path.exists()]


@pytest.mark.parametrize("option", [[], ["--remove"]])
def test_the_entry_of_the_former_name_goes(home: Path, option: list[str]) -> None:
    former = home / "applications" / f"{former_name.NAME}.desktop"
    former.parent.mkdir(parents=True)
    former.write_text("[Desktop Entry]")
    assert cli.main(["desktop-entry", *option]) == 0
    assert not former.exists()


@pytest.mark.parametrize(
    "program",
    [
        ("/opt/tautpath/bin/tautpath",),
        ('/home/a user/100% $new/it\'s "x"/python', "/srv/back\\slash/`main`.py"),
    ],
)
def test_any_path_is_quoted(program: tuple[str, ...]) -> None:
    text = desktop_entry.entry_text(program)

    assert command(text) == [*program, "%F"]
    assert entry(text)["TryExec"].replace("\\\\", "\\") == program[0]


def test_sessions_have_the_type_that_the_entry_opens() -> None:
    root = ElementTree.parse(desktop_entry.RESOURCES / "desktop" / "tautpath.xml").getroot()
    name = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    (kind,) = root.findall("m:mime-type", name)

    assert [glob.get("pattern") for glob in kind.findall("m:glob", name)] == [
        "*.tautpath",
        f"*{former_name.SESSION_SUFFIX}",
    ]
    assert entry(desktop_entry.entry_text(("/bin/tautpath",)))["MimeType"] == f"{kind.get('type')};"


@pytest.mark.skipif(
    shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not installed"
)
def test_the_entry_follows_the_specification(tmp_path: Path) -> None:
    path = tmp_path / "tautpath.desktop"
    path.write_text(desktop_entry.entry_text(installed_command()), encoding="utf-8")

    done = subprocess.run(
        ["desktop-file-validate", path], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "share").touch()

    with pytest.raises(FileNotWritten, match="share"):
        desktop_entry.install_desktop_entry(tmp_path / "share", ("/bin/tautpath",))
    with pytest.raises(FileNotWritten, match="share"):
        desktop_entry.remove_desktop_entry(tmp_path / "share")


def test_a_relative_data_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The specification demands it."""
    monkeypatch.setenv("XDG_DATA_HOME", "share")

    assert desktop_entry.user_data_home() == Path.home() / ".local" / "share"
