"""The package for Debian, of a small folder in place of the program: lintian finds nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("dpkg-deb", "lintian", "man")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(shutil.which, NEEDED)), reason=f"one of {', '.join(NEEDED)} is not installed"
    ),
]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    sys.path.insert(0, str(ROOT / ".ci" / "bundle"))
    try:
        import debian_package
    finally:
        del sys.path[0]
    return debian_package


@pytest.fixture(scope="module")
def package(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a program of the system, files of ours, and what a library left as it should not."""
    program = tmp_path_factory.mktemp("dist") / "tautpath"
    inside = program / "_internal"
    shutil.copytree(ROOT / "resources" / "desktop", inside / "resources" / "desktop")
    shutil.copytree(ROOT / "resources" / "icons", inside / "resources" / "icons")
    shutil.copy("/bin/true", program / "tautpath")
    (program / "licenses" / "numpy").mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", program / "licenses" / "numpy" / "LICENSE.txt")
    (inside / ".gitignore").write_text("build", "utf-8")
    script = inside / "tool.py"
    script.write_text("#!/usr/bin/env python3\n", "utf-8")
    script.chmod(0o777)
    return maker.debian_package(program, "1.0.0")


def run(*command: str | Path) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_lintian_finds_nothing(package: Path) -> None:
    assert run("lintian", "--allow-root", "--fail-on", "error,warning", package) == ""


def test_program_documents_and_sums_lie_where_they_belong(package: Path, tmp_path: Path) -> None:
    run("dpkg-deb", "--extract", package, tmp_path)
    run("dpkg-deb", "--control", package, tmp_path / "DEBIAN")
    started = tmp_path / "usr" / "bin" / "tautpath"
    assert started.resolve() == tmp_path / "usr" / "lib" / "tautpath" / "tautpath"
    modes = {
        name: (tmp_path / "usr" / "lib" / "tautpath" / name).stat().st_mode & 0o777
        for name in ("tautpath", "_internal", "_internal/tool.py")
    }
    assert modes == {"tautpath": 0o755, "_internal": 0o755, "_internal/tool.py": 0o644}
    documents = tmp_path / "usr" / "share" / "doc" / "tautpath"
    assert {path.name for path in documents.iterdir()} == {
        "changelog.Debian.gz",
        "changelog.gz",
        "copyright",
        "licenses",
    }
    done = subprocess.run(
        ["md5sum", "--check", "--quiet", tmp_path / "DEBIAN" / "md5sums"], cwd=tmp_path, check=False
    )
    assert done.returncode == 0


def test_the_manual_names_every_command(package: Path, tmp_path: Path) -> None:
    from solvers.cli import COMMANDS

    run("dpkg-deb", "--extract", package, tmp_path)
    page = tmp_path / "usr" / "share" / "man" / "man1" / "tautpath.1.gz"
    text = run("man", "--local-file", "--warnings", page)
    assert "warning" not in text
    assert [name for name in COMMANDS if name not in text] == []
    assert "EXIT STATUS" in text
