"""The bundle, which `make bundle` builds: without Python on the path, it runs what starts
processes of its own.

``TAUTPATH_BUNDLE`` names another program than that in ``dist``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.version import __version__

ROOT = Path(__file__).resolve().parents[1]
SUFFIX = ".exe" if sys.platform == "win32" else ""
PROGRAM = Path(
    os.environ.get("TAUTPATH_BUNDLE", ROOT / "dist" / "tautpath" / f"tautpath{SUFFIX}")
).absolute()
SAMPLE = ROOT / "resources" / "samples" / "textbook.gr"
TEMPLATES = ROOT / "solvers" / "features" / "own_kernels" / "templates"
KEPT = ("SYSTEMROOT", "TMPDIR", "TEMP")
WITNESS = """
import json, sys
with open({path!r}, "w") as file:
    json.dump([sys.executable, sys.path, sys.modules["numpy"].__file__], file)
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="there is no bundle; make bundle builds it"),
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a user without Python, whose home and path are empty folders."""
    home, path = tmp_path / "home", tmp_path / "path"
    home.mkdir()
    path.mkdir()
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "HOME": str(home), "PATH": str(path), "QT_QPA_PLATFORM": "offscreen"}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path):
    def run(*arguments: object) -> str:
        done = subprocess.run(
            [str(PROGRAM), *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def solve(run, variants: str, *options: object) -> dict[str, object]:
    """The results by variant."""
    ends = ("--source", 1, "--target", 5, "--trials", 1, "--json", "--no-keep")
    printed = json.loads(run(*options, "solve", SAMPLE, *ends, "--variants", variants))
    return {result["variant"]: result for result in printed["results"]}


def own_variant(folder: Path, template: str, name: str) -> None:
    for suffix in ("py", "cu"):
        source = TEMPLATES / f"{template}.{suffix}.txt"
        if source.is_file():
            text = source.read_text("utf-8").replace("@ID@", name).replace("@STEM@", name)
            (folder / f"{name}.{suffix}").write_text(text, "utf-8")


def test_it_is_of_this_version(run) -> None:
    assert run("--version") == f"Tautpath {__version__}\n"


def test_it_compiles_nothing_before_the_first_answer(run, tmp_path: Path) -> None:
    assert solve(run, "dijkstra-heap")["dijkstra-heap"]["verified"]
    compiled = list((tmp_path / "home").rglob("*.nbc"))
    assert not compiled, "machine code of the platform wheel was not used"


@pytest.mark.parametrize("variant", ["bf-edge-flags", "cch-tree", "dijkstra-mpi", "sssp-delta-omp"])
def test_kernels_metis_ranks_and_threads_answer(run, variant: str) -> None:
    if sys.platform == "win32" and variant == "cch-tree":
        pytest.skip("pymetis does not support Windows")
    assert solve(run, variant)[variant]["verified"]


@pytest.mark.parametrize("template", ["variant", "variant_numba"])
def test_variants_of_a_users_own_run_in_a_process_without_python(
    run, template: str, tmp_path: Path
) -> None:
    own_variant(tmp_path, template, "mine")
    witness = tmp_path / "witness.json"
    with (tmp_path / "mine.py").open("a", encoding="utf-8") as file:
        file.write(WITNESS.format(path=str(witness)))
    assert solve(run, "mine", "--variants-from", tmp_path)["mine"]["verified"]
    executable, path, numpy = json.loads(witness.read_text())
    assert Path(executable) == PROGRAM
    for place in (*path, numpy):
        assert Path(place).is_relative_to(PROGRAM.parent) or place == str(tmp_path), place


def test_all_sources_and_experiments_run(run, tmp_path: Path) -> None:
    assert "Radius 7, at vertex 3." in run("all-sources", SAMPLE, "--reduce", "eccentricity")
    report = tmp_path / "report"
    run("experiment", "bodra-2025-ell", "--scale", "small", "--trials", "1", "--report", report)
    assert list(report.rglob("*.html"))


def test_pictures_are_drawn(run, tmp_path: Path) -> None:
    picture = tmp_path / "out.png"
    options = ("--source", 1, "--target", 5, "--trials", 1, "--no-keep", "--picture", picture)
    run("solve", SAMPLE, "--variants", "dijkstra-heap", *options)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_is_left_out_is_told(run) -> None:
    devices = run("devices")
    assert "cuda:" in devices or "install Tautpath with pip" in devices
