"""``datasets``: the list, downloads with licence and citation, and errors before anything is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solvers import cli
from solvers.commands import datasets as datasets_module
from solvers.graphs.datasets import DatasetStore
from solvers.system.downloads import Patience
from tests.downloads import local_dataset
from tests.https_server import Server


@pytest.fixture
def server(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server of all tests, and a store of this test's own."""
    store = DatasetStore(tmp_path / "cache", Patience(silence_s=5, attempts=1, pause_s=0.01))
    monkeypatch.setattr(datasets_module, "DatasetStore", lambda: store)
    return server


def offer(server: Server, monkeypatch: pytest.MonkeyPatch, **faults: object) -> None:
    wanted = local_dataset(server, published=False, **faults)
    monkeypatch.setattr(datasets_module, "datasets", lambda: (wanted,))
    monkeypatch.setattr(datasets_module, "dataset", lambda name: wanted)


def test_the_list_tells_sizes_and_fetches_nothing(server: Server, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["datasets"]) == 0
    out = capsys.readouterr().out
    assert "USA-road-d.NY\t" in out
    assert "5.73 MB" in out
    assert "≈" in out
    assert cli.main(["datasets", "--json"]) == 0
    listed = {entry["id"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert listed["USA-road-d.NY"]["arcs"] == 733846
    assert listed["USA-road-d.NY"]["paths"] == []
    assert listed["roadNet-CA"]["sha256"] == [None]
    assert not server.requests


def test_get_downloads_tells_the_terms_and_is_listed(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    offer(server, monkeypatch)
    assert cli.main(["datasets", "--get", "three"]) == 0
    out = capsys.readouterr().out
    assert datasets_module.FIRST_SEEN in out
    assert "licence: Public domain" in out
    assert "cite: C. Demetrescu" in out
    assert cli.main(["datasets"]) == 0
    assert "yes" in capsys.readouterr().out
    assert cli.main(["datasets", "--remove", "three"]) == 0
    assert not server.resources["/three.gr.gz"].cut_at


def test_failures_are_one_line_and_an_exit_status(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert cli.main(["datasets", "--get", "USA-road-d.NYC"]) == 2
    assert "Nearest: USA-road-d.NY" in capsys.readouterr().err
    offer(server, monkeypatch, status=503)
    assert cli.main(["datasets", "--get", "three"]) == 3
    assert capsys.readouterr().err == (
        "tautline: three.gr.gz was not downloaded: the server reports an internal error (503). Try again.\n"
    )
