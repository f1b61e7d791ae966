"""What tests of the command line share: a catalogue of their own, a file, and calls in
this process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from solvers import cli
from solvers.core import variant
from solvers.core.variant import all_variants
from solvers.devices import discover
from solvers.graphs.writers import write_dimacs
from tests.solvers.fakes import diamond
from tests.solvers.made_up_variants import made_up_variants, pick_nothing


@pytest.fixture
def made_up_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variants of our own and no device, so that these tests are about the command line."""
    all_variants()
    monkeypatch.setattr(variant, "_REGISTRY", {one.id: one for one in made_up_variants()})
    monkeypatch.setattr("solvers.devices.pick", pick_nothing)


@pytest.fixture
def without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this machine's devices only processors are found."""
    found = discover()
    processors = tuple(device for device in found.devices if device.is_cpu)
    monkeypatch.setattr("solvers.devices.discover", lambda: replace(found, devices=processors))


@pytest.fixture
def diamond_file(tmp_path: Path) -> str:
    """A file of a graph of five vertices."""
    path = tmp_path / "diamond.gr"
    write_dimacs(diamond(), path)
    return str(path)


@pytest.fixture
def tautpath(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process; gives status, output, errors."""

    def run(*arguments: object, **hooks: object) -> tuple[int, str, str]:
        status = cli.main([str(a) for a in arguments], **hooks)  # type: ignore[arg-type]
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
