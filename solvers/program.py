"""How this program starts itself, from a source tree, an installation or the bundle.

A bundle (``make bundle``) has no Python: ``sys.executable`` is the program, which runs a
module of ours where its first argument is `RUN`. Whatever starts a process of ours asks
here for the command.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

RUN = "--run-part"

ROOT = Path(__file__).resolve().parents[1]
"""The folder of our packages."""

QUIET_VARIABLE = "TAUTPATH_QUIET"
"""Set to 1, no lines on stderr tell of compiling, nor of progress without a terminal."""

_KEEPER = ROOT / "solvers" / "system" / "keeper.py"
_LOADER = "LD_LIBRARY_PATH"
_START_ANEW = "PYINSTALLER_RESET_ENVIRONMENT"
_INSTALLS = "pip install"
_PACKAGE = re.compile(r"[A-Za-z0-9._-]+")
_NOT_HERE = "This download cannot take packages; install Tautpath with pip to add some"


def is_bundle() -> bool:
    return bool(getattr(sys, "frozen", False))


def typed_command() -> str:
    """What people type to start the program."""
    return "python main.py" if (ROOT / "pyproject.toml").is_file() else "tautpath"


def main_command(*arguments: str) -> list[str]:
    """The command line of Tautpath with some arguments."""
    program = () if is_bundle() else (str(ROOT / "main.py"),)
    return [sys.executable, *program, *arguments]


def module_command(module: str, *arguments: str) -> list[str]:
    """A module of ours as a program, to be started in `module_environment`."""
    return [sys.executable, RUN if is_bundle() else "-m", module, *arguments]


def script_command(script: Path, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """A file of ours as a program; Python takes ``options``, where there is one."""
    before = (RUN,) if is_bundle() else options
    return [sys.executable, *before, str(script), *arguments]


def kept_command(command: Sequence[str]) -> list[str]:
    """A command that ends, with all that it leaves behind, when its stdin is closed; on
    Windows the command itself.
    """
    if sys.platform == "win32":
        return list(command)
    return script_command(_KEEPER, *command, options=("-I", "-S"))


def module_environment() -> Mapping[str, str]:
    """This process's environment, in which Python also finds our modules; what compiles
    there is silent.
    """
    paths = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), QUIET_VARIABLE: "1"}


def installed_command() -> tuple[str, ...]:
    """What a desktop starts: the script of an installation, or else `main_command`."""
    script = Path(sysconfig.get_path("scripts")) / "tautpath"
    return (str(script),) if script.is_file() else tuple(main_command())


def run_part(part: str, *arguments: str) -> None:
    """In a bundle, what Python does for `module_command` and `script_command`."""
    sys.argv = [part, *arguments]
    if part.endswith(".py"):
        runpy.run_path(part, run_name="__main__")
    else:
        runpy.run_module(part, run_name="__main__", alter_sys=True)


def prepare_environment() -> None:
    """In a bundle, have other programs find their own libraries, and ours the bundle's.

    PyInstaller sets the loader's path before the program starts, unless its variables
    tell that a parent has: the parent takes the path away here.
    """
    os.environ[_START_ANEW] = "1"
    before = os.environ.pop(f"{_LOADER}_ORIG", None)
    if before is not None:
        os.environ[_LOADER] = before
    else:
        os.environ.pop(_LOADER, None)


def install_command(extra: str) -> str:
    """What installs the packages of an extra: "pip install pyarrow".

    They are named one by one, since no package index has Tautpath.
    """
    marker = re.compile(rf"extra == ['\"]{extra}['\"]")
    wanted = [name for name in _requirements() if marker.search(name)]
    names = dict.fromkeys(found.group() for found in map(_PACKAGE.match, wanted) if found)
    return " ".join((_INSTALLS, *(names or (f'".[{extra}]" in the folder of Tautpath',))))


def _requirements() -> list[str]:
    """What Tautpath needs, with markers that name extras, as an installation or else the
    source tree says.
    """
    # imported here: it is slow, and few starts ask
    from importlib.metadata import PackageNotFoundError, requires

    with suppress(PackageNotFoundError):
        return requires("tautpath") or []
    with suppress(FileNotFoundError):
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
            "optional-dependencies"
        ]
        return [f'{name}; extra == "{extra}"' for extra in extras for name in extras[extra]]
    return []


def with_way_to_install(text: str) -> str:
    """A text that may advise pip, in a bundle with what has to be done before."""
    if not is_bundle() or _INSTALLS not in text or _NOT_HERE in text:
        return text
    return f"{text} {_NOT_HERE}." if text.endswith(".") else f"{text}. {_NOT_HERE}"
