"""What one side lays into the folder, the other side finds; and nothing of it stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import msgspec
import numpy as np
import pytest

from solvers.features.mpi.dijkstra_rank import DijkstraSettings
from solvers.features.mpi.handover import Answer, Control, Ending, HandOver
from solvers.features.mpi.rank_group import RANKS, count_of_ranks
from tests import graphs
from tests.solvers.features.mpi.started import arcs_of

SETTINGS = DijkstraSettings(source=3, layout="csr", watched=True)


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("name", ["complete", "no arcs"])
def test_the_graph_arrives_as_it_is(dtype: str, name: str) -> None:
    arcs = arcs_of(graphs.by_hand(name, dtype))
    with HandOver.created(arcs, SETTINGS, ranks=3, cores=2) as sent:
        received = HandOver(sent.folder)
        assert received.counts() == (3, 2)
        mapped, settings = received.task(DijkstraSettings)
        for row in ("indptr", "indices", "weights"):
            np.testing.assert_array_equal(getattr(mapped, row), getattr(arcs, row), strict=True)
        assert settings == SETTINGS


def test_the_answer_comes_back_and_the_folder_goes() -> None:
    arcs = arcs_of(graphs.by_hand("ties"))
    with HandOver.created(arcs, SETTINGS, 1, 1) as sent:
        received = HandOver(sent.folder)
        assert sent.answer() is None, "the ranks have not come to their end"
        mapped = received.result("distances", (2, 2), np.float32)
        mapped[:] = [[1, 2], [3, np.inf]]
        found = Answer(Ending.SOLVED, 7, 2.5, {"distances": mapped, "order": np.array([4, 5])})
        received.finish(found)
        answer = sent.answer()
    assert (answer.ending, answer.iterations, answer.solve_ms) == (Ending.SOLVED, 7, 2.5)
    assert answer.arrays["distances"].tolist() == [[1, 2], [3, np.inf]]
    assert answer.arrays["order"].tolist() == [4, 5]
    assert not sent.folder.exists()


def test_ranks_stop_when_they_are_told_and_with_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    ended.wait()
    monkeypatch.setattr("solvers.features.mpi.handover._PARENT_CHECK_S", 0.0)
    control = Control(Control.begun())
    assert not control.stop_wanted()
    control.cancel()
    assert control.stop_wanted()
    words = Control.begun()
    words[words == os.getpid()] = ended.pid
    assert Control(words).stop_wanted()


def test_cancel_is_looked_for_between_files_and_pieces_of_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solvers.features.mpi.handover._PIECE_BYTES", 1000)
    arcs, looks = arcs_of(graphs.by_hand("ties")), []
    matrix = np.arange(30 * 30, dtype=np.int32).reshape(30, 30)
    with HandOver.created(arcs, SETTINGS, 1, 1, lambda: looks.append("file")) as sent:
        assert looks == ["file"] * 3
        HandOver(sent.folder).finish(
            Answer(Ending.SOLVED, 1, 1.0, {"distances": matrix, "none": np.empty((0, 5))})
        )
        answer = sent.answer(lambda: looks.append("piece"))
    assert looks.count("piece") == 4
    np.testing.assert_array_equal(answer.arrays["distances"], matrix)
    assert answer.arrays["none"].shape == (0, 5)


def test_an_answer_that_was_cut_short_is_told() -> None:
    """Half a matrix must not pass for a whole one."""
    arcs = arcs_of(graphs.by_hand("ties"))
    with HandOver.created(arcs, SETTINGS, 1, 1) as sent:
        HandOver(sent.folder).finish(
            Answer(Ending.SOLVED, 1, 1.0, {"distances": np.zeros((20, 20))})
        )
        file = sent.folder / "distances.npy"
        os.truncate(file, file.stat().st_size - 8)
        with pytest.raises(EOFError, match=r"distances\.npy is shorter"):
            sent.answer()


@pytest.mark.parametrize(
    "changed",
    [
        {"arrays": ["../distances"]},
        {"arrays": "distances"},
        {"iterations": -1},
        {"iterations": "7"},
        {"solve_ms": None},
        {"ending": "won"},
    ],
)
def test_an_outcome_that_no_rank_writes_is_refused(changed) -> None:
    with HandOver.created(arcs_of(graphs.by_hand("ties")), SETTINGS, 1, 1) as sent:
        HandOver(sent.folder).finish(Answer(Ending.SOLVED, 1, 1.0))
        file = sent.folder / "outcome.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | changed))
        with pytest.raises(msgspec.ValidationError):
            sent.answer()


def test_the_folder_goes_when_something_fails() -> None:
    with (
        pytest.raises(ZeroDivisionError),
        HandOver.created(arcs_of(graphs.by_hand("ties")), SETTINGS, 1, 1) as sent,
    ):
        raise ZeroDivisionError
    assert not sent.folder.exists()


def test_both_sides_see_the_control_words() -> None:
    with HandOver.created(arcs_of(graphs.by_hand("ties")), SETTINGS, 2, 1) as ours:
        theirs = HandOver(ours.folder)
        theirs.control.announce(1)
        theirs.control.report(12)
        assert ours.control.processes == (os.getpid(),)
        assert ours.control.progress == 12
        assert not theirs.control.stop_wanted()
        ours.control.cancel()
        assert theirs.control.stop_wanted()
        theirs.control.show(3)  # returns at once: a cancelled run waits for nobody
        assert ours.control.shown == 3


def test_by_hand_nobody_cancels() -> None:
    assert not Control.unattended().stop_wanted()


def test_no_ranks_means_one_per_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.system.machine.cores", lambda: 6)
    assert count_of_ranks(0) == 6
    assert count_of_ranks(3) == 3
    monkeypatch.setattr("solvers.system.machine.cores", lambda: 256)
    assert count_of_ranks(0) == RANKS.high
