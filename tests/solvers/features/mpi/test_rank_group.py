"""However a run ends, no process and no file of it is left."""

from __future__ import annotations

import builtins
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from solvers.errors import Cancelled, FileNotWritten, RankFailed
from solvers.features.mpi import floyd_warshall_rank as floyd_warshall
from solvers.features.mpi import rank_group
from solvers.features.mpi.handover import HandOver
from solvers.features.mpi.rank_group import reason_in, solve_by_ranks
from solvers.features.mpi.ranks import await_reader
from solvers.graphs.weights import to_float
from solvers.system.cancel import CancelToken, Progress
from solvers.system.files import sweep
from tests import graphs
from tests.faults import small_disk
from tests.solvers.features.mpi import deadlocked, stubborn
from tests.solvers.features.mpi.started import (
    ROOT,
    arcs_of,
    descendants,
    long_work,
    needs_ranks,
    still_alive,
)

FLOYD_WARSHALL = "solvers.features.mpi.floyd_warshall_rank"
TIES = arcs_of(graphs.by_hand("ties"))
PLAIN = floyd_warshall.FloydWarshallSettings(0, False)


class Witness:
    """Looks on while ranks work; acts once, in the middle of it."""

    def __init__(self, act: Callable[[HandOver], None]):
        self._act = act
        self.folder = Path()
        self.processes: tuple[int, ...] = ()

    def look(self, hand_over: HandOver) -> None:
        if hand_over.control.progress and not self.processes:
            self.folder, self.processes = hand_over.folder, hand_over.control.processes
            self._act(hand_over)

    def expect_nothing_left(self, ranks: int) -> None:
        assert len(self.processes) == ranks
        assert still_alive(self.processes) == []
        assert not self.folder.exists()
        assert children() == []


def solve_long(
    look: Callable[[HandOver], None] = lambda _: None, progress: Progress | None = None
) -> None:
    """Have two ranks of Floyd-Warshall work for seconds."""
    solve_by_ranks(FLOYD_WARSHALL, long_work(), PLAIN, 2, progress or Progress(), look)


_earlier: frozenset[psutil.Process] = frozenset()


@pytest.fixture(autouse=True)
def children_of_earlier_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some processes outlive the tests that start them: the workers of the cluster that
    other tests share.
    """
    monkeypatch.setattr(
        f"{__name__}._earlier", frozenset(psutil.Process().children(recursive=True))
    )


def children() -> list[psutil.Process]:
    """The processes that this test started."""
    return [child for child in descendants() if child not in _earlier]


def test_a_process_that_ends_while_it_is_looked_at_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is killed, and its end taken note of, between the opening of its file below
    /proc and the reading.
    """
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    opened = []

    def open_and_kill(file: Any, *arguments: Any, **options: Any) -> Any:
        found = io.FileIO(file) if str(file) == f"/proc/{child.pid}/stat" else None
        if found is None:
            return real_open(file, *arguments, **options)
        opened.append(file)
        child.kill()
        child.wait()
        return found if "b" in str(arguments[:1]) else io.TextIOWrapper(io.BufferedReader(found))

    real_open = open
    assert still_alive([child.pid], patience_s=0.1) == [child.pid]
    for module in (builtins, io):
        monkeypatch.setattr(module, "open", open_and_kill)
    assert still_alive([child.pid], patience_s=5.0) == []
    assert opened or not Path("/proc/self").exists()


@needs_ranks
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_rank_is_an_error_and_takes_the_others_along() -> None:
    started = time.time()
    witness = Witness(lambda hand_over: os.kill(hand_over.control.processes[1], signal.SIGKILL))
    with pytest.raises(
        RankFailed, match=r"mpi\.floyd_warshall_rank: an MPI rank failed"
    ) as failure:
        solve_long(witness.look)
    assert failure.value.status != 0
    assert failure.value.reason
    witness.expect_nothing_left(ranks=2)
    assert _shared_memory_left(started) == []


def _shared_memory_left(since: float) -> list[Path]:
    """What MPICH's ranks shared, with nobody left who has it open."""
    files = [file for file in Path("/dev/shm").glob("mpich_shm_*") if file.stat().st_mtime >= since]
    return [file for file in files if not any(file.name in maps for maps in _all_maps())]


def _all_maps() -> Iterator[str]:
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):  # ended meanwhile, or another user's
            yield maps.read_text(errors="replace")


@needs_ranks
def test_cancel_in_the_middle() -> None:
    token = CancelToken()
    heard: list[float] = []
    witness = Witness(lambda hand_over: token.cancel())
    progress = Progress(token, lambda done, total: heard.append(done / total))
    with pytest.raises(Cancelled):
        solve_long(witness.look, progress)
    assert 0 < max(heard) < 1
    witness.expect_nothing_left(ranks=2)


@needs_ranks
def test_each_task_has_an_mpiexec_of_its_own_whose_start_is_told() -> None:
    graph, processes = graphs.by_hand("ties"), set()
    for _ in range(2):
        answer = solve_by_ranks(
            FLOYD_WARSHALL,
            arcs_of(graph),
            PLAIN,
            2,
            Progress(),
            lambda hand_over: processes.update(hand_over.control.processes),
        )
        np.testing.assert_array_equal(
            to_float(answer.arrays["distances"]), graphs.right_matrix(graph)
        )
        assert answer.start_ms > 1
        assert children() == []
    assert len(processes) == 4


posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


@needs_ranks
@posix_only
def test_a_rank_that_is_stopped_is_waited_for_and_an_error_if_it_stays_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rank_group, "_LOOK_S", 0.2)
    stopped_at: list[int] = []

    def stop(hand_over: HandOver) -> None:
        os.kill(hand_over.control.processes[1], signal.SIGSTOP)
        stopped_at.append(hand_over.control.progress)

    def stop_for_a_while(hand_over: HandOver) -> None:
        stop(hand_over)
        threading.Timer(0.3, os.kill, (hand_over.control.processes[1], signal.SIGCONT)).start()

    witness = Witness(stop_for_a_while)

    def look(hand_over: HandOver) -> None:
        witness.look(hand_over)
        if len(stopped_at) == 1 and hand_over.control.progress > stopped_at[0] + 50:
            stop(hand_over)

    with pytest.raises(RankFailed, match=r"process \d+ was stopped by a signal and not continued"):
        solve_long(look)
    assert len(stopped_at) == 2, "it went on after the first time"
    witness.expect_nothing_left(ranks=2)


@needs_ranks
def test_ranks_that_wait_for_one_another_are_an_error_and_slow_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rank_group, "_DEADLOCK_S", deadlocked.SLOW_S / 2)
    program = "tests.solvers.features.mpi.deadlocked"
    progress: list[int] = []
    witness = Witness(lambda hand_over: None)

    def look(hand_over: HandOver) -> None:
        witness.look(hand_over)
        progress.append(hand_over.control.progress)

    with pytest.raises(RankFailed, match="all ranks wait for one another"):
        solve_by_ranks(program, long_work(), stubborn.Settings(), 2, Progress(), look)
    assert progress[-1] == 2
    witness.expect_nothing_left(ranks=2)


@needs_ranks
@posix_only
def test_a_killed_keeper_is_an_error_and_takes_the_ranks_along() -> None:
    def kill(hand_over: HandOver) -> None:
        (keeper,) = (child for child in children() if child.ppid() == os.getpid())
        keeper.kill()

    witness = Witness(kill)
    with pytest.raises(RankFailed):
        solve_long(witness.look)
    witness.expect_nothing_left(ranks=2)


@needs_ranks
def test_a_disk_without_room_for_the_graph_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk", 1 << 14) as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with pytest.raises(FileNotWritten, match="no room for the graph, the disk is full"):
            solve_long()
        assert os.listdir(disk) == []


def test_a_disk_without_room_for_the_answer_is_an_error_not_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mapped file is written without asking; a page without room would end the
    process by SIGBUS.
    """
    with small_disk(tmp_path / "disk", 1 << 16) as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with HandOver.created(TIES, PLAIN, 1, 1) as hand_over:
            with pytest.raises(OSError, match="No space left"):
                hand_over.result("distances", (300, 300), np.int32)
            hand_over.result("distances", (3, 3), np.int32)[:] = 1


@needs_ranks
def test_ranks_that_do_not_hear_are_ended() -> None:
    token = CancelToken()
    witness = Witness(lambda hand_over: token.cancel())
    with pytest.raises(Cancelled):
        solve_by_ranks(
            "tests.solvers.features.mpi.stubborn",
            long_work(),
            stubborn.Settings(),
            2,
            Progress(token),
            witness.look,
        )
    witness.expect_nothing_left(ranks=2)


_PARENT = """
from tests.solvers.features.mpi.test_rank_group import Witness, solve_long

solve_long(Witness(lambda hand_over: print(*hand_over.control.processes, flush=True)).look)
"""


@needs_ranks
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot ask whether a process lives")
def test_ranks_end_when_whoever_started_them_dies(tmp_path: Path) -> None:
    """A window that is killed cannot clear up. These ranks are stopped, so that they
    cannot notice by themselves.
    """
    started = time.time()
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    processes = [int(pid) for pid in parent.stdout.readline().split()]
    others = [child.pid for child in psutil.Process(parent.pid).children(recursive=True)]
    # an MPI's own files, too, lie in a folder that is swept
    assert {Path(psutil.Process(pid).environ()["TMPDIR"]).parent for pid in processes} == {tmp_path}
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    parent.kill()
    parent.communicate()
    assert len(processes) == 2
    assert set(processes) < set(others)
    assert still_alive(others, patience_s=30) == []
    sweep(tmp_path)
    assert os.listdir(tmp_path) == []
    assert _shared_memory_left(started) == []


@dataclass(frozen=True)
class _Unknown:
    """Settings that no rank program knows."""

    colour: str = "green"


@needs_ranks
def test_an_error_in_a_rank_is_told_in_its_own_words() -> None:
    with pytest.raises(
        RankFailed, match=r"ValidationError: Object missing required field `tolerance`"
    ) as failure:
        solve_by_ranks(FLOYD_WARSHALL, TIES, _Unknown(), 1, Progress())
    assert "Traceback" in failure.value.log


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell what waits in a pipe")
def test_a_rank_that_fails_waits_until_its_words_are_read() -> None:
    """mpiexec dropped those of a rank that aborted before a busy machine had let it read them."""
    read, write = os.pipe()
    os.write(write, b"MemoryError: 8 GB\n")
    heard: list[bytes] = []
    reader = threading.Timer(0.7, lambda: heard.append(os.read(read, 100)))
    reader.start()
    await_reader(write)
    assert heard == [b"MemoryError: 8 GB\n"]
    await_reader(write)
    for end in (read, write):
        os.close(end)
    await_reader(write)
    with tempfile.TemporaryFile() as file:
        file.write(b"not read")
        await_reader(file.fileno())


def test_ranks_that_do_not_find_one_another_are_refused() -> None:
    """Started by an mpiexec of another make, each would think it was alone, and solve
    everything by itself.
    """
    pytest.importorskip("mpi4py")
    with HandOver.created(TIES, PLAIN, ranks=2, cores=2) as hand_over:
        command = [sys.executable, "-m", FLOYD_WARSHALL, "--folder", str(hand_over.folder)]
        alone = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
        )
        assert alone.returncode != 0
        assert "mpiexec started 2 ranks, but each finds 1" in alone.stderr
        assert hand_over.answer() is None


def test_the_reason_is_the_telling_line() -> None:
    own = "Traceback ...\ntautpath rank failed: MemoryError: 8 GB (rank 3)\nAbort(1) on node 3\n"
    assert reason_in(own) == "MemoryError: 8 GB (rank 3)"
    assert reason_in(
        "=== BAD\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\nSee the FAQ"
    ) == ("Killed (signal 9)")
    assert (
        reason_in("mpirun noticed that process rank 1 exited on signal 9 (Killed).")
        == "signal 9 (Killed)"
    )
    assert reason_in("one\nno such host.\n") == "no such host"
    assert reason_in("") == "it wrote nothing"
