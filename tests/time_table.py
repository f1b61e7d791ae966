"""Where the processor time of the tests goes: by module, by stage and by compiled function.

``pytest -p tests.time_table --time-table FOLDER`` has every process of the tests write a
file of records to a folder; ``python -m tests.time_table FOLDER`` adds them up. Times are
seconds of user and system time, so that other programs on the machine change them little.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import resource
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

import pytest
from numba.core import caching, event

_ROWS = 40  # of each table

# Stages within a test by name: a fixture counts as one if it took longer than this.
_LEAST_FIXTURE_S = 0.02


class Clock:
    """Processor time of this process by stage, without what is measured inside of it."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._inner = threading.local()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of this thread; of stages within each other, each for itself."""
        outer = getattr(self._inner, "seconds", 0.0)
        self._inner.seconds = 0.0
        began = time.thread_time()
        try:
            yield
        finally:
            took = time.thread_time() - began
            self.spent[name] += took - self._inner.seconds
            self._inner.seconds = outer + took

    def measured(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            with self.stage(name):
                return function(*arguments, **named)

        return call


class Compiling(event.Listener):  # type: ignore[misc]
    """Time that numba compiles, by function and types."""

    def __init__(self, clock: Clock):
        self._clock = clock
        self._open = threading.local()

    def on_start(self, told: Any) -> None:
        stack = self._open.__dict__.setdefault("stack", [])
        function = told.data["dispatcher"].py_func
        if function.__module__.startswith("numba.") and stack:
            stack.append(nullcontext())  # part of what calls it
        else:
            name = f"{function.__module__}.{function.__qualname__}{told.data['args']}"
            stack.append(self._clock.stage(f"compile {name}"))
        stack[-1].__enter__()

    def on_end(self, told: Any) -> None:
        self._open.stack.pop().__exit__(None, None, None)


class TimeTable:
    """Writes one record for every test, and one for all that precedes the first."""

    def __init__(self, file: TextIO):
        self._file = file
        self.clock = Clock()
        self._last = (0.0, 0.0)
        self._began = 0.0
        event.register("numba:compile", Compiling(self.clock))
        caching.Cache.load_overload = self.clock.measured("load", caching.Cache.load_overload)
        gc.callbacks.append(self._collecting)

    def _collecting(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.clock.spent["collect"] += time.thread_time() - self._began

    def write(self, name: str) -> None:
        """Write what was spent since the last record."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        now = (time.process_time(), children.ru_utime + children.ru_stime)
        spent = self.clock.spent
        stages = {stage: round(seconds, 4) for stage, seconds in spent.items() if seconds > 1e-3}
        record = {
            "name": name,
            "own": round(now[0] - self._last[0], 4),
            "children": round(now[1] - self._last[1], 4),
            "stages": stages,
        }
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()
        self._last = now
        spent.clear()

    def pytest_collection_finish(self) -> None:
        self._measure_modules()
        self.write("(imports and collection)")

    def _measure_modules(self) -> None:
        """Measure builds of kernels, and the waits for other processes that compile."""
        from solvers.devices.opencl import OpenCLDevice
        from solvers.system import compile_lock
        from tests import kernels

        for owner, name, stage in (
            (OpenCLDevice, "_build", "opencl"),
            (kernels, "_compiled", "nvrtc"),
        ):
            setattr(owner, name, self.clock.measured(stage, getattr(owner, name)))
        acquire = compile_lock._acquire

        def acquire_and_count(folder: str, offset: int) -> int | None:
            began = time.monotonic()
            try:
                return acquire(folder, offset)
            finally:
                self.clock.spent["wall of waiting for another's compiling"] += (
                    time.monotonic() - began
                )

        compile_lock._acquire = acquire_and_count

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        with self.clock.stage(f"fixture {fixturedef.argname}"):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        try:
            return (yield)
        finally:
            self.write(item.nodeid)

    def pytest_unconfigure(self) -> None:
        self.write("(end)")
        self._file.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--time-table", metavar="FOLDER", type=Path, help="write where time goes")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("time_table")
    starts_workers = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if folder is not None and not starts_workers:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / f"{os.getpid()}.jsonl").open("w", encoding="utf-8")
        config.pluginmanager.register(TimeTable(file))


def main(folders: list[str]) -> None:
    """Print the sums of all records below some folders."""
    records = [
        json.loads(line)
        for folder in folders
        for path in sorted(Path(folder).rglob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    modules: defaultdict[str, Counter[str]] = defaultdict(Counter)
    stages: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    signatures: defaultdict[str, set[str]] = defaultdict(set)
    for record in records:
        row = modules[record["name"].partition("::")[0]]
        row["tests"] += 1
        row["own"] += record["own"]
        row["children"] += record["children"]
        stages["all of the tests' own processes"] += record["own"]
        stages["child processes"] += record["children"]
        for stage, seconds in record["stages"].items():
            kind, _, what = stage.partition(" ")
            if kind == "compile":
                function = what.partition("(")[0]
                functions[function] += seconds
                signatures[function].add(what)
                row["compile"] += seconds
                stages["compile"] += seconds
            else:
                stages[stage] += seconds
    print(f"{len(records)} records, {sum(map(len, signatures.values()))} signatures")
    _print_rows(stages.most_common(_ROWS))
    ordered = sorted(modules.items(), key=lambda item: -item[1]["own"] - item[1]["children"])
    print("\n     own children  compile tests")
    for name, row in ordered[:_ROWS]:
        times = f"{row['own']:8.1f} {row['children']:8.1f} {row['compile']:8.1f}"
        print(f"{times} {row['tests']:5.0f} {name}")
    print()
    for function, seconds in functions.most_common(_ROWS):
        print(f"{seconds:8.1f} {len(signatures[function]):4} {function}")


def _print_rows(rows: Sequence[tuple[str, float]]) -> None:
    for name, seconds in rows:
        print(f"{seconds:8.1f} {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
