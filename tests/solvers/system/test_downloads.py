"""Downloads from a server with faults: what arrived is kept, a wrong file is not, and
nothing waits for ever.
"""

from __future__ import annotations

import gzip
import hashlib
import random
import threading
import time
from pathlib import Path

import pytest

from solvers.errors import Cancelled, DownloadFailed, WrongChecksum
from solvers.system import downloads
from solvers.system.cancel import CancelToken, Progress
from solvers.system.downloads import Expected, PartFile, Patience, fetch, shutil
from tests.faults import file_size_limit
from tests.https_server import Resource, Server

CONTENT = gzip.compress(random.Random(1).randbytes(200_000), mtime=0)
DIGEST = hashlib.sha256(CONTENT).hexdigest()
HASTY = Patience(silence_s=0.3, attempts=2, pause_s=0.01)


def offer(server: Server, **faults: object) -> str:
    server.resources["/graph.gr.gz"] = Resource(CONTENT, **faults)
    return f"{server.url}/graph.gr.gz"


def test_a_file_arrives_whole_with_its_checksum_and_progress(server: Server, tmp_path: Path):
    seen = []
    progress = Progress(report=lambda done, total: seen.append((done, total)))
    target = tmp_path / "new folder" / "graph.gr.gz"
    assert (
        fetch(offer(server), target, Expected(DIGEST), progress=progress, patience=HASTY) == DIGEST
    )
    assert target.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [path.name for path in target.parent.iterdir()] == ["graph.gr.gz"]


def test_a_file_without_a_length_has_a_limit(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server could fill the disk."""
    url, target = offer(server, has_length=False), tmp_path / "graph.gr.gz"
    with monkeypatch.context() as limited:
        limited.setattr(downloads, "MOST_UNTOLD", 50_000)
        with pytest.raises(DownloadFailed, match="tells no length, and sends more than 50 kB"):
            fetch(url, target, Expected(DIGEST), patience=HASTY)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1_000
    assert fetch(url, target, Expected(DIGEST), patience=HASTY) == DIGEST


def test_a_file_that_is_there_is_not_asked_for_again(server: Server, tmp_path: Path):
    target = tmp_path / "graph.gr.gz"
    target.write_bytes(CONTENT)
    assert fetch(offer(server), target, Expected(DIGEST)) == DIGEST
    assert not server.requests


def test_a_file_with_another_checksum_is_replaced(server: Server, tmp_path: Path):
    target = tmp_path / "graph.gr.gz"
    target.write_bytes(b"older")
    assert fetch(offer(server), target, Expected(DIGEST.upper()), patience=HASTY) == DIGEST
    assert target.read_bytes() == CONTENT


def test_a_folder_in_the_place_of_the_file_is_told(server: Server, tmp_path: Path):
    target = tmp_path / "graph.gr.gz"
    target.mkdir()
    with pytest.raises(DownloadFailed, match="Make room, or choose another cache folder"):
        fetch(offer(server), target, Expected(DIGEST), patience=HASTY)


def test_after_a_cut_connection_it_goes_on_where_it_was(server: Server, tmp_path: Path):
    url = offer(server, cut_at=[80_000, 150_000])
    target = tmp_path / "graph.gr.gz"
    assert fetch(url, target, Expected(DIGEST), patience=HASTY) == DIGEST
    assert [asked for _, asked in server.requests] == ["", "bytes=80000-", "bytes=150000-"]


def test_a_later_attempt_goes_on_with_what_was_kept(server: Server, tmp_path: Path):
    url = offer(server, cut_at=[80_000, 80_000, 80_000])
    target = tmp_path / "graph.gr.gz"
    with pytest.raises(DownloadFailed, match=r"the connection was cut.*80 kB are kept") as failed:
        fetch(url, target, Expected(DIGEST), patience=HASTY)
    assert failed.value.kept_bytes == 80_000
    assert not target.exists()
    server.requests.clear()
    assert fetch(url, target, Expected(DIGEST), patience=HASTY) == DIGEST
    assert server.requests == [("/graph.gr.gz", "bytes=80000-")]


def test_a_part_of_another_version_is_not_continued(server: Server, tmp_path: Path):
    url = offer(server, cut_at=[80_000] * 3)
    target = tmp_path / "graph.gr.gz"
    with pytest.raises(DownloadFailed):
        fetch(url, target, patience=HASTY)
    changed = gzip.compress(b"another file" * 10_000, mtime=0)
    server.resources["/graph.gr.gz"] = Resource(changed, etag='"2"')
    fetch(url, target, patience=HASTY)
    assert target.read_bytes() == changed


@pytest.mark.parametrize(
    "faults", [{"etag": ""}, {"ranges": False}], ids=["no validator", "no ranges"]
)
def test_without_the_server_s_help_it_starts_again(
    server: Server, tmp_path: Path, faults: dict[str, object]
):
    url = offer(server, cut_at=[80_000], **faults)
    assert fetch(url, tmp_path / "graph.gr.gz", Expected(DIGEST), patience=HASTY) == DIGEST


def test_a_part_longer_than_the_file_starts_again(server: Server, tmp_path: Path):
    url, target = offer(server, cut_at=[80_000] * 3), tmp_path / "graph.gr.gz"
    with pytest.raises(DownloadFailed):
        fetch(url, target, patience=HASTY)
    with PartFile(target).path.open("ab") as part:
        part.write(bytes(300_000))
    assert fetch(url, target, Expected(DIGEST), patience=HASTY) == DIGEST


def test_a_wrong_checksum_leaves_nothing_and_an_older_file_as_it_was(
    server: Server, tmp_path: Path
):
    target = tmp_path / "graph.gr.gz"
    target.write_bytes(b"older")
    with pytest.raises(WrongChecksum, match="is not the one that Tautpath knows") as failed:
        fetch(offer(server), target, Expected("0" * 64), patience=HASTY)
    assert failed.value.found == DIGEST
    assert target.read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir()] == ["graph.gr.gz"]
    with pytest.raises(WrongChecksum, match="recorded at the first download on 2026-01-02"):
        fetch(offer(server), target, Expected("0" * 64, "2026-01-02"), patience=HASTY)


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ({"status": 403}, r"the server refuses access \(403\)"),
        ({"status": 429}, "too many requests"),
        ({"status": 503}, r"an internal error \(503\)"),
        ({"content_type": "text/html; charset=utf-8"}, "a web page arrived instead.*login"),
        ({"stall_at": 40_000}, "nothing arrived for 0.3 s"),
        ({"location": "http://localhost:9/graph.gr.gz"}, "without HTTPS"),
    ],
)
def test_what_servers_do(server: Server, tmp_path: Path, faults: dict[str, object], words: str):
    with pytest.raises(DownloadFailed, match=words):
        fetch(offer(server, **faults), tmp_path / "graph.gr.gz", patience=HASTY)
    assert not (tmp_path / "graph.gr.gz").exists()


def test_a_missing_file_and_no_server(server: Server, tmp_path: Path):
    with pytest.raises(
        DownloadFailed, match=r"graph.gr.gz was not downloaded: the server does not have it \(404\)"
    ):
        fetch(f"{server.url}/gone", tmp_path / "graph.gr.gz", patience=HASTY)
    with pytest.raises(DownloadFailed, match="the server cannot be reached"):
        fetch("https://localhost:9/graph.gr.gz", tmp_path / "graph.gr.gz", patience=HASTY)


def test_only_https_and_only_trusted_servers(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(DownloadFailed, match="not an HTTPS address"):
        fetch("http://localhost:9/graph.gr.gz", tmp_path / "graph.gr.gz", patience=HASTY)
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(DownloadFailed, match="certificate is not trusted"):
        fetch(offer(server), tmp_path / "graph.gr.gz", patience=HASTY)


def test_what_is_not_gzip_is_not_taken_for_it(server: Server, tmp_path: Path):
    server.resources["/graph.gr.gz"] = Resource(b"<!DOCTYPE html>" * 100)
    with pytest.raises(DownloadFailed, match="not compressed by gzip"):
        fetch(f"{server.url}/graph.gr.gz", tmp_path / "graph.gr.gz", patience=HASTY)
    assert not list(tmp_path.iterdir())


def test_cancelling_takes_effect_soon_and_keeps_what_arrived(server: Server, tmp_path: Path):
    url = offer(server, stall_at=69_632)  # a multiple of 4 kB
    token, ended = CancelToken(), []
    progress = Progress(token, lambda done, total: token.cancel() if done >= 60_000 else None)

    def work() -> None:
        with pytest.raises(Cancelled):
            fetch(url, tmp_path / "graph.gr.gz", progress=progress, patience=Patience(silence_s=60))
        ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert ended
    assert PartFile(tmp_path / "graph.gr.gz").size >= 60_000
    server.resources["/graph.gr.gz"].stall_at = None
    assert fetch(url, tmp_path / "graph.gr.gz", Expected(DIGEST), patience=HASTY) == DIGEST
    assert server.requests[-1][1].startswith("bytes=")


def test_a_full_disk_is_told_before_and_while_writing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    url, target = offer(server), tmp_path / "graph.gr.gz"
    with monkeypatch.context() as patched:
        free = type("Usage", (), {"free": 1000})
        patched.setattr(shutil, "disk_usage", lambda folder: free)
        with pytest.raises(DownloadFailed, match="it needs 200 kB more; the disk has 1 kB free"):
            fetch(url, target, patience=HASTY)
    with (
        file_size_limit(120_000),
        pytest.raises(DownloadFailed, match=r"larger than the system allows.*are kept"),
    ):
        fetch(url, target, patience=HASTY)
    assert fetch(url, target, Expected(DIGEST), patience=HASTY) == DIGEST


def test_one_download_of_a_file_at_a_time(server: Server, tmp_path: Path):
    target = tmp_path / "graph.gr.gz"
    with (
        PartFile(target).opened(),
        pytest.raises(DownloadFailed, match="another download of it is running"),
    ):
        fetch(offer(server), target, patience=HASTY)
