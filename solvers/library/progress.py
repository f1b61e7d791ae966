"""Progress of `solve`, `prepare` and `all_sources`, for the caller's function or as a bar."""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from solvers.errors import ParameterError
from solvers.system.cancel import SILENT, Progress
from solvers.system.long_waits import ProgressLines

Report = Callable[[float, str], object]
"""Called with the share that is done, 0 to 1, and the name of the stage."""

Watch = Callable[[str], Progress]

_WIDTH = 30
_INTERVAL_S = 0.1


@contextmanager
def watched(progress: bool | Report | None, owner: str) -> Iterator[Watch]:
    """Makes the progress of each stage; a bar ends with the block.

    Raises ParameterError, on behalf of ``owner``, for what is neither a function nor a
    bool.
    """
    if progress is None or progress is False:
        yield lambda stage: SILENT
    elif progress is True:
        bar = _notebook_bar() or (_Bar() if _has_terminal() else _Lines())
        try:
            yield _watch(bar.show)
        finally:
            bar.end()
    elif callable(progress):
        yield _watch(progress)
    else:
        words = "it takes True for a bar, or a function of the share done and the stage"
        raise ParameterError(owner, "progress", progress, words)


def _watch(report: Report) -> Watch:
    def of_stage(stage: str) -> Progress:
        def told(done: float, total: float) -> None:
            report(min(1.0, max(0.0, done / total)), stage)

        return Progress(report=told)

    return of_stage


class _Bar:
    """One line on stderr, written anew at most ten times a second."""

    def __init__(self) -> None:
        self._shown, self._next = False, 0.0

    def show(self, done: float, stage: str) -> None:
        now = time.monotonic()
        if sys.stderr is None or (now < self._next and done < 1):
            return
        full = "█" * round(done * _WIDTH)
        self._write(f"\r{full:░<{_WIDTH}} {done:4.0%} {stage:<40}")
        self._shown, self._next = True, now + _INTERVAL_S

    def end(self) -> None:
        if self._shown:
            self._write("\n")

    @staticmethod
    def _write(text: str) -> None:
        encoding = sys.stderr.encoding or "ascii"
        sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
        sys.stderr.flush()


class _Lines:
    """Where no terminal draws a bar: a line on stderr for each stage, and now and then."""

    def __init__(self) -> None:
        self._stage, self._due = "", ProgressLines()

    def show(self, done: float, stage: str) -> None:
        if sys.stderr is not None and (self._due.due() or stage != self._stage):
            self._stage = stage
            print(f"{done:4.0%} {stage}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Nothing is left open."""


def _has_terminal() -> bool:
    """Whether what is written on a line can be replaced: also in a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class _NotebookBar:
    """A bar of tqdm, which notebooks draw."""

    def __init__(self, tqdm: type) -> None:
        self._bar = tqdm(total=100, bar_format="{l_bar}{bar}{elapsed}", leave=False)

    def show(self, done: float, stage: str) -> None:
        self._bar.set_description_str(stage, refresh=False)
        self._bar.update(100 * done - self._bar.n)

    def end(self) -> None:
        self._bar.close()


def _notebook_bar() -> _NotebookBar | None:
    """None outside of notebooks, and without tqdm."""
    if "ipykernel" not in sys.modules:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets it writes a line, and warns
            return _NotebookBar(importlib.import_module("tqdm.auto").tqdm)
    except ImportError:
        return None
