"""How the program starts itself, with Python and in a bundle, which has none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from solvers import devices, program
from solvers.errors import PackageMissing, Unavailable

SCRIPT = program.ROOT / "solvers" / "algorithms" / "mpi" / "guard.py"
ADVICE = "install Tautpath with pip"


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch) -> str:
    """The program of a bundle."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/tautpath/tautpath")
    return sys.executable


def test_python_is_told_what_to_run() -> None:
    python = sys.executable
    assert program.main_command("solve") == [python, str(program.ROOT / "main.py"), "solve"]
    assert program.module_command("solvers.cli", "x") == [python, "-m", "solvers.cli", "x"]
    isolated = program.script_command(SCRIPT, "x", options=("-I", "-S"))
    assert isolated == [python, "-I", "-S", str(SCRIPT), "x"]


def test_people_are_told_what_they_can_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert program.typed_command() == "python main.py"
    monkeypatch.setattr(program, "ROOT", tmp_path)  # of an installation, or in a bundle
    assert program.typed_command() == "tautpath"


def test_a_bundle_is_the_program_and_runs_its_parts(bundle: str) -> None:
    assert program.main_command("solve") == [bundle, "solve"]
    assert program.module_command("solvers.cli", "x") == [bundle, program.RUN, "solvers.cli", "x"]
    isolated = program.script_command(SCRIPT, "x", options=("-I", "-S"))
    assert isolated == [bundle, program.RUN, str(SCRIPT), "x"]


@pytest.mark.parametrize("kind", ["script", "module"])
def test_a_part_runs_as_python_would_run_it(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "part_of_test.py"
    script.write_text("import sys\nif __name__ == '__main__':\n    print(sys.argv[1:])\n")
    part = str(script) if kind == "script" else script.stem
    text = f"from solvers.program import run_part; run_part({part!r}, '--x', 'y')"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**program.module_environment(), "PYTHONPATH": f"{program.ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['--x', 'y']\n"


@pytest.mark.parametrize(
    ("before", "after"), [("/their/libraries", "/their/libraries"), ("", None)]
)
def test_other_programs_find_their_own_libraries(
    before: str, after: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/tautpath/_internal")
    if before:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", before)
    monkeypatch.setenv("PYINSTALLER_RESET_ENVIRONMENT", "")
    program.prepare_environment()
    environment = program.module_environment()
    assert environment.get("LD_LIBRARY_PATH") == after
    assert "LD_LIBRARY_PATH_ORIG" not in environment
    assert environment["PYINSTALLER_RESET_ENVIRONMENT"] == "1"  # for ours


def test_advice_to_use_pip_tells_what_a_bundle_lacks(bundle: str) -> None:
    missing = PackageMissing("Reading a.parquet", "pyarrow", "parquet")
    assert str(missing).endswith(f"{ADVICE} to add some.")
    assert str(Unavailable(str(missing))) == str(missing), "once is enough"
    assert ADVICE not in str(Unavailable("The GPU has too little memory."))
    for problem in devices.rediscover().problems:
        assert ADVICE in problem or "pip install" not in problem


def test_advice_to_use_pip_stands_alone_elsewhere() -> None:
    assert ADVICE not in str(PackageMissing("Reading a.parquet", "pyarrow", "parquet"))
