"""How far ``auto`` is from the fastest variant, from one source.

::

    python -m tests.benchmarks.automatic [GRAPH...] [--of kinds|seen|fresh] [--rounds N]
        [--seconds S] [--device auto|cuda|opencl|none] [--variants ID,ID...] [--raw FILE]
    python -m tests.benchmarks.automatic --judge FILE...

Without graphs, the forty of `tests.benchmarks.kinds` are measured, or with ``--of`` those by
which earlier estimates were judged, or those to which nothing is fitted. Each variant is timed
before anything is prepared; road networks and small graphs are then prepared, and all
variants timed. They take turns in rounds, and the least time counts, to which other
programs only add. The table has, for each
kind of graph, the median and the worst ratio of what ``auto`` takes to the fastest, and the
time of choosing. ``--raw`` writes all times, so that nothing must be measured again to
judge other estimates; no graph is begun after ``--seconds``.

``--judge`` measures nothing: it fits the estimates to such files, of several machines
together, leaving out one kind of graph at a time, and prints the ratios on the kinds left
out, those on graphs to which nothing is fitted, if such were measured, and the costs fitted
to all kinds. Files of one machine are put together.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path

from solvers.algorithms.auto.evidence import taken
from solvers.algorithms.auto.table import choose
from solvers.algorithms.bucket_width import is_road_like
from solvers.commands.console import BAD_INPUT, Console
from solvers.core.result import Result
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import Device
from solvers.errors import TautpathError
from solvers.graphs.graph import Graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system import machine
from solvers.text import format_duration
from tests.benchmarks.graphs import SPECS, device_of, machine_line, names_in
from tests.benchmarks.kinds import KindGraph, all_kinds, fresh_graphs, given_graph, seen_graphs
from tests.benchmarks.timing import Times

SEARCHES = ("dijkstra-heap", "sssp-delta-omp", "sssp-near-far", "sssp-near-far-cluster")
SORTED = "sssp-pull-omp"  # is timed on all graphs, the other prepared ones on some
PREPARED = (SORTED, "sssp-blocked", "cch-tree", "cch-tree-device")
STAYS = ", stays"  # behind the id of a variant for which the graph stays on the device
_GROUPS = {"kinds": all_kinds, "seen": seen_graphs, "fresh": fresh_graphs}
_MOST_PREPARED = 2**16  # vertices and arcs of a graph that is prepared though no road network
_CHOICES = 9  # of which the median time counts
_SHARE_MS, _MOST_TRIALS, _LONG_MS = 60.0, 5, 100.0  # of a variant in a round
_BEHIND = 4.0  # over the least, from which one round tells enough


@dataclass
class Timed:
    """What was measured on one graph: total times in ms, by variant, and by question what
    `auto` took and how long it took to choose.
    """

    kind: str
    name: str
    n: int
    m: int
    arcs: int = 0  # of the hierarchy, if there is one
    times: dict[str, list[float]] = field(default_factory=dict)
    # of each variant's fastest trial: ms by phase, and its rounds
    phases: dict[str, dict[str, float]] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    chosen: dict[str, str] = field(default_factory=dict)
    choosing_ms: dict[str, float] = field(default_factory=dict)

    @property
    def levels(self) -> int | None:
        """Of the hierarchy, which a sweep counts as its rounds."""
        return self.rounds.get("cch-tree")

    def least(self, among: Iterable[str]) -> dict[str, float]:
        """Times of those variants that solved the graph; what else runs only adds to them."""
        return {name: min(self.times[name]) for name in among if name in self.times}

    def ratio(self, question: str, chosen: str) -> float | None:
        """The time of a variant over the least; None where it is not known."""
        there = self.least(candidates(question))
        return there[chosen] / min(there.values()) if chosen in there else None


@dataclass
class MeasuredMachine:
    """All graphs of one machine."""

    cpu: str
    cores: int
    device: str
    graphs: list[Timed] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> MeasuredMachine:
        held = json.loads(path.read_text())
        return cls(**held | {"graphs": [Timed(**graph) for graph in held["graphs"]]})

    @classmethod
    def read_all(cls, paths: Iterable[Path]) -> list[MeasuredMachine]:
        """Those of all files; series of one machine are put together."""
        found: dict[tuple[str, int, str], MeasuredMachine] = {}
        for one in map(cls.read, paths):
            kept = found.setdefault((one.cpu, one.cores, one.device), replace(one, graphs=[]))
            known = {graph.name: graph for graph in kept.graphs}
            for graph in one.graphs:
                if graph.name not in known:
                    kept.graphs.append(graph)
                    continue
                for key, times in graph.times.items():
                    known[graph.name].times.setdefault(key, []).extend(times)
                known[graph.name].arcs = known[graph.name].arcs or graph.arcs
                known[graph.name].rounds = graph.rounds | known[graph.name].rounds
        return list(found.values())


def questions(has_gpu: bool) -> list[str]:
    """What is asked of each graph: "nothing" or "all" prepared, and whether it stays."""
    return [
        prepared + stays
        for stays in (("", STAYS) if has_gpu else ("",))
        for prepared in ("nothing", "all")
    ]


def candidates(question: str) -> list[str]:
    """Keys of the times that count for a question."""
    ids = SEARCHES + (PREPARED if question.startswith("all") else ())
    return [key_of(name, question) for name in ids]


def key_of(variant_id: str, question: str) -> str:
    """Under which times of a variant are kept; a processor's stand for both."""
    on_device = find_variant(variant_id).runs_on.takes_device
    return variant_id + STAYS * (on_device and question.endswith(STAYS))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="automatic", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help=SPECS)
    parser.add_argument("--of", default="kinds", choices=tuple(_GROUPS))
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "opencl", "none"))
    parser.add_argument("--variants", default="", metavar="ID,ID...")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--seconds", type=float, default=3600.0, metavar="S")
    parser.add_argument("--raw", type=Path, metavar="FILE")
    parser.add_argument("--judge", type=Path, nargs="+", metavar="FILE")
    arguments, console = parser.parse_args(argv), Console()
    if arguments.judge:
        from tests.benchmarks.fitting import judge

        judge(MeasuredMachine.read_all(arguments.judge), console)
        return 0
    try:
        device = None if arguments.device == "none" else device_of(arguments.device)
        found = _measure(arguments, device, console)
    except TautpathError as error:
        console.error_line(error)
        return BAD_INPUT
    ratios = [
        (question, graph, graph.ratio(question, chosen))
        for graph in found.graphs
        for question, chosen in graph.chosen.items()
    ]
    print_ratios(ratios, console)
    choosing = [ms for graph in found.graphs for ms in graph.choosing_ms.values()]
    least, most = format_duration(statistics.median(choosing)), format_duration(max(choosing))
    console.line(f"Choosing again took {least}, at most {most}.")
    return 0


def print_ratios(ratios: Sequence[tuple[str, Timed, float | None]], console: Console) -> None:
    """Print the median and worst ratio by question and kind; each ratio is of a graph."""
    rows = []
    for question in dict.fromkeys(question for question, _, _ in ratios):
        known = [(g, r) for asked, g, r in ratios if asked == question and r is not None]
        kinds = [*dict.fromkeys(graph.kind for graph, _ in known), ""]
        for kind in kinds:
            alike = {g.name: r for g, r in known if kind in ("", g.kind)}
            worst = max(alike, key=lambda name: alike[name])
            middle = statistics.median(alike.values())
            numbers = str(len(alike)), f"{middle:.2f}", f"{alike[worst]:.2f}"
            rows.append((question, kind or "all", *numbers, worst))
    console.table(("prepared", "kind", "n", "median", "worst", "of"), rows, right="  rrr ")


def _measure(
    arguments: argparse.Namespace, device: Device | None, console: Console
) -> MeasuredMachine:
    console.line(machine_line(device.name if device else "no device"))
    found = MeasuredMachine(
        machine.cpu_name(), machine.cores(), device.name if device is not None else ""
    )
    until = time.monotonic() + arguments.seconds
    left_out = []
    named = [given_graph(spec) for spec in arguments.graphs]
    for one in named or _GROUPS[arguments.of]():
        if time.monotonic() >= until:
            left_out.append(one.name)
            continue
        timed = _timed(one, device, arguments.rounds, names_in(arguments.variants))
        found.graphs.append(timed)
        if arguments.raw:
            arguments.raw.write_text(json.dumps(asdict(found)))
        times = timed.least(timed.times)
        texts = [
            f"{name} {format_duration(times[name])}"
            for name in sorted(times, key=times.__getitem__)
        ]
        console.line(f"{one.name}: {'; '.join(texts)}")
    if left_out:
        console.line(f"Left out, as the time was over: {', '.join(left_out)}.")
    return found


def _timed(one: KindGraph, device: Device | None, rounds: int, only: Sequence[str] = ()) -> Timed:
    graph, source = one.make()
    has_gpu = device is not None and not device.is_cpu
    timed = Timed(one.kind, one.name, graph.n, graph.m)
    for question in questions(has_gpu):
        if question.startswith("nothing"):
            _choose(timed, question, graph, source, device)
    is_prepared = is_road_like(graph) or graph.n + graph.m < _MOST_PREPARED
    names = (*SEARCHES, *(PREPARED if is_prepared else (SORTED,)))
    if only:
        names = tuple(name for name in names if name in only)
    if device is None:
        names = tuple(name for name in names if not find_variant(name).runs_on.needs_device)
    _take_turns(timed, names, graph, source, device, rounds)
    kept = graph.peek_cached("hierarchy")
    timed.arcs = kept[0].arcs if isinstance(kept, tuple) else 0
    for question in questions(has_gpu):
        if question.startswith("all"):
            _choose(timed, question, graph, source, device)
    return timed


def _choose(timed: Timed, question: str, graph: Graph, source: int, device: Device | None) -> None:
    """What is chosen, and how long it takes once what is kept with the graph is known."""
    took, stays = Times(), STAYS * question.endswith(STAYS)
    taken(graph).clear()  # estimates are judged, not what was measured
    for _ in range(_CHOICES):
        chosen = took.of(
            lambda: choose(Answers.SSSP, graph, device, source=source, warm=bool(stays))
        )
    timed.chosen[question] = key_of(chosen.variant.id, question)
    timed.choosing_ms[question] = statistics.median(took.clock)


def _take_turns(
    timed: Timed,
    names: Sequence[str],
    graph: Graph,
    source: int,
    device: Device | None,
    rounds: int,
) -> None:
    """Time the variants in rounds, the first of which prepares, compiles and proves."""
    has_gpu = device is not None and not device.is_cpu
    for number in range(rounds + 1):
        for stays in ("", STAYS) if has_gpu else ("",):
            for name in names:
                if stays and not find_variant(name).runs_on.takes_device:
                    continue
                times = timed.times.setdefault(name + stays, [])
                last = min(times, default=0.0)
                if number > 1 and last > _BEHIND * min(chain(*timed.times.values())):
                    continue
                trials = max(1, min(_MOST_TRIALS, int(_SHARE_MS / max(last, 0.01))))
                warmups = 1 if number == 0 or stays or last < _LONG_MS else 0
                plan = MeasurementPlan(warmups, trials if number else 1, warm_graph=bool(stays))
                choice = (Choice(find_variant(name)),)
                request = RunRequest(
                    graph, source, None, choice, device, plan, verify=number == 0, tree=False
                )
                (result,) = run(request)
                if number == 1:
                    times.clear()
                    timed.phases.pop(name + stays, None)
                if result.ok:
                    _note_fastest(timed, name + stays, result)
                    times.extend(result.times("total"))
    timed.times = {name: times for name, times in timed.times.items() if times}


def _note_fastest(timed: Timed, key: str, result: Result) -> None:
    """Keep the phases and rounds of a variant's fastest trial."""
    trials = [trial for trial in result.trials if not trial.is_warmup]
    fastest = min(trials, key=lambda trial: trial.phases.total)
    known = timed.phases.get(key)
    if known is None or fastest.phases.total < sum(known.values()):
        timed.phases[key] = asdict(fastest.phases)
        timed.rounds[key] = fastest.iterations or 0


if __name__ == "__main__":
    sys.exit(main())
