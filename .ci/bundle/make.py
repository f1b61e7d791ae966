"""Build the bundle, for people without Python: ``python .ci/bundle/make.py dist/tautpath-….whl``.

From a wheel with machine code of this platform, PyInstaller makes the folder
``dist/tautpath``, and on Debian and its relatives ``dpkg-deb`` a package of it.
"""

from __future__ import annotations

import compileall
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

import PyInstaller.__main__
from debian_package import debian_package, size_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SYMBOLS = ("libpython3*.so*", "llvmlite/binding/libllvmlite.so")
COMMON = Path("/usr/share/common-licenses")
LICENCE = re.compile(r"licen[sc]e|copying|notice|eula|third-party", re.IGNORECASE)


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    target = wheel.parent / "tautpath"
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "wheel"
        zipfile.ZipFile(wheel).extractall(unpacked)
        options = ["--noconfirm", "--log-level", "WARN", "--distpath", str(wheel.parent)]
        work = ["--workpath", str(Path(folder) / "work")]
        PyInstaller.__main__.run(
            [*options, *work, str(HERE / "tautpath.spec"), "--", str(unpacked)]
        )
    compile_sources(target / "_internal")
    copy_licences(target / "licenses")
    strip_symbols(target / "_internal")
    print(f"{target}: {size_of(target) / 1e6:.0f} MB")
    if shutil.which("dpkg-deb"):
        package = debian_package(target, wheel.name.split("-")[1])
        print(f"{package}: {package.stat().st_size / 1e6:.0f} MB")


def compile_sources(folder: Path) -> None:
    """Bytecode beside our sources, which is read without looking at them."""
    compiled = compileall.compile_dir(
        folder, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    if not compiled:
        raise SystemExit("The sources cannot be compiled.")


def copy_licences(folder: Path) -> None:
    """The texts that come with Tautpath, Python and the packages, by name."""
    texts = [("Tautpath", ROOT / "LICENSE"), ("Python", Path(os.__file__).with_name("LICENSE.txt"))]
    # of Qt, whose packages bring none
    texts += [("PySide6", COMMON / "LGPL-3"), ("PySide6", COMMON / "GPL-3")]
    texts += [(found.name, path) for found in distributions() for path in licence_files(found)]
    for name, path in texts:
        if path.is_file():
            place = folder / name / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


def licence_files(found: Distribution) -> Iterator[Path]:
    for file in found.files or ():
        path = Path(str(file.locate()))
        if LICENCE.search(path.stem) and path.suffix != ".py" and path.is_file():
            yield path


def strip_symbols(folder: Path) -> None:
    """Leave out what only debuggers read, where it is large."""
    if shutil.which("strip"):
        for pattern in SYMBOLS:
            for path in folder.glob(pattern):
                run("strip", "--strip-unneeded", str(path))


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
