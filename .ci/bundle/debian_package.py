"""A package for Debian and its relatives, of a folder with the program.

It has what Debian's policy asks for: copyright, changelogs, a manual page, modes and
sums. ``lintian`` finds nothing in it but what its file of overrides gives a reason for.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = "usr/lib/tautpath"
# Nobody reads mail for the program: whoever publishes the package puts an address here.
MAINTAINER = "The Tautpath authors <tautpath@tautpath.invalid>"
REVISION = 1
# Of the system: the program has its own of all others.
DEPENDS = """
    libc6 (>= {libc}), libegl1, libgl1, libfontconfig1, libdbus-1-3,
    fonts-dejavu-core | fonts-liberation
"""
DESCRIPTION = """desktop laboratory for shortest-path algorithms on GPUs
 Tautpath opens road networks and other graphs, runs some fifty variants of
 shortest-path algorithms on processors and GPUs, times them, proves their
 answers, and plays what they do step by step.
 .
 The package holds Python and all libraries that the program needs."""
CONTROL = """Package: tautpath
Version: {version}
Architecture: {machine}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Section: science
Priority: optional
Description: {description}
"""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tautpath

Files: *
Copyright: 2026 The Tautpath authors
License: Expat
Comment: Python, Qt and the other libraries under /{place} have licences of
 their own, which lie in /usr/share/doc/tautpath/licenses by their names.

License: Expat
{licence}
"""
CHANGES = """tautpath ({version}) unstable; urgency=medium

  * The program of this version; changelog.gz tells what is new.

 -- {maintainer}  {date}
"""
MANUAL = r""".TH TAUTPATH 1 "" "Tautpath {version}" "User commands"
.SH NAME
tautpath \- laboratory for shortest\-path algorithms on GPUs
.SH SYNOPSIS
.B tautpath
[\fIGRAPH\fR | \fISESSION\fR]
.br
.B tautpath
[\fB\-v\fR] [\fB\-q\fR] \fICOMMAND\fR [\fIOPTION\fR...]
.SH DESCRIPTION
Without a command, the window opens, with the graph or session if one is given.
The commands do without a display all that the window does.
.SH OPTIONS
.TP
\fB\-\-help\fR
list the commands; after a command, its options
.TP
\fB\-\-version\fR
print the version
.TP
\fB\-v\fR, \fB\-\-verbose\fR
log decisions and failures on stderr; twice: each step
.TP
\fB\-q\fR, \fB\-\-quiet\fR
show no progress and no notes on stderr, only errors
.SH COMMANDS
{commands}
.SH EXIT STATUS
{status}
"""
# with the reasons, which lintian shows
OVERRIDES = """# The program brings Python and libraries as their authors built them.
tautpath: custom-library-search-path *
tautpath: embedded-library *
tautpath: hardening-no-fortify-functions *
tautpath: hardening-no-pie *
tautpath: hardening-no-relro *
tautpath: library-not-linked-against-libc *
tautpath: missing-dependency-on-libstdc++ *
tautpath: script-not-executable *
tautpath: shared-library-lacks-prerequisites *
tautpath: spelling-error-in-binary *
tautpath: unstripped-binary-or-object *
# Bytecode of sources that nobody may write beside; it is checked against nothing.
tautpath: package-installs-python-pycache-dir *
# Letters of the pages and pictures that the program writes.
tautpath: font-in-non-font-package *
tautpath: font-outside-font-dir *
# Nothing is uploaded to Debian: there is no bug that asks for the package.
tautpath: initial-upload-closes-no-bugs *
"""


def debian_package(program: Path, version: str) -> Path:
    """A package of the folder, with menu entry, icon, file type and manual page."""
    machine = run("dpkg", "--print-architecture")
    full = f"{version}-{REVISION}"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "package"
        left_out = shutil.ignore_patterns(".gitignore")  # of pyopencl
        shutil.copytree(program, root / PLACE, symlinks=True, ignore=left_out)
        add_desktop_files(root)
        add_documents(root, version, full)
        (root / "usr" / "bin").mkdir()
        (root / "usr" / "bin" / "tautpath").symlink_to("../lib/tautpath/tautpath")
        set_modes(root)
        size = size_of(root)  # of what is installed
        control = root / "DEBIAN"
        control.mkdir(mode=0o755)
        libc = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.36"
        fields = CONTROL.format(
            version=full,
            machine=machine,
            maintainer=MAINTAINER,
            size=size // 1024,
            depends=" ".join(DEPENDS.format(libc=libc.split()[1]).split()),
            description=DESCRIPTION,
        )
        (control / "control").write_text(fields, "utf-8")
        (control / "md5sums").write_text(sums_of(root), "utf-8")
        for file in control.iterdir():
            file.chmod(0o644)
        package = program.parent / f"tautpath_{full}_{machine}.deb"
        build = (
            "dpkg-deb",
            "--root-owner-group",
            "-Zxz",
            "-z1",
            "--build",
            str(root),
            str(package),
        )
        run(*build)
    return package


def add_desktop_files(root: Path) -> None:
    resources, share = root / PLACE / "_internal" / "resources", root / "usr" / "share"
    for source, place in (
        (resources / "desktop" / "tautpath.desktop", share / "applications"),
        (resources / "icons" / "tautpath.svg", share / "icons/hicolor/scalable/apps"),
        (resources / "desktop" / "tautpath.xml", share / "mime" / "packages"),
    ):
        place.mkdir(parents=True)
        shutil.copy(source, place)


def add_documents(root: Path, version: str, full: str) -> None:
    share = root / "usr" / "share"
    documents = share / "doc" / "tautpath"
    documents.mkdir(parents=True)
    licences = root / PLACE / "licenses"
    if licences.is_dir():
        shutil.move(licences, documents / "licenses")
    _, _, licence = (ROOT / "LICENSE").read_text("utf-8").partition("authors\n\n")
    lines = (f" {line}" if line.strip() else " ." for line in licence.strip().splitlines())
    copyright_text = COPYRIGHT.format(place=PLACE, licence="\n".join(lines))
    (documents / "copyright").write_text(copyright_text, "utf-8")
    zipped(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    changes = CHANGES.format(version=full, maintainer=MAINTAINER, date=formatdate())
    zipped(documents / "changelog.Debian.gz", changes)
    zipped(share / "man" / "man1" / "tautpath.1.gz", manual(version))
    overrides = share / "lintian" / "overrides" / "tautpath"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(OVERRIDES, "utf-8")


def manual(version: str) -> str:
    """The manual page, of what the command line says of itself."""
    sys.path.insert(0, str(ROOT))
    from solvers import cli

    commands = (
        f".TP\n\\fB{escaped(one.name)}\\fR\n{escaped(one.purpose)}" for one in cli.COMMANDS.values()
    )
    found = re.search(r"Exit status: (.*?\.) Errors", " ".join((cli.__doc__ or "").split()))
    assert found is not None
    return MANUAL.format(
        version=version, commands="\n".join(commands), status=escaped(found[1].capitalize())
    )


def escaped(text: str) -> str:
    """Text as roff takes it, in which a hyphen is not a minus."""
    return text.replace("\\", r"\e").replace("-", r"\-").replace("“", '"').replace("”", '"')


def zipped(path: Path, text: str) -> None:
    """Write a file that is the same whenever it is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def set_modes(root: Path) -> None:
    """Folders are entered and programs run by all; other files are read."""
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or (path.stat().st_mode & 0o100 and is_program(path))
            path.chmod(0o755 if runs else 0o644)


def is_program(path: Path) -> bool:
    """Whether it is one of the program's own, neither a library nor a package's script."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF" and ".so" not in path.name


def sums_of(root: Path) -> str:
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return "".join(
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n"
        for path in files
        if path.relative_to(root).parts[0] != "DEBIAN"
    )


def size_of(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
