"""Rows of the list of runs: headings, of which those of experiments fold, and runs; with
the texts of each column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from statistics import mode

from solvers.core.result import Status
from solvers.core.result_view import NOTHING, OUTCOMES
from solvers.core.variant import find_variant
from solvers.errors import UnknownName
from solvers.features.kept_runs.store.run_store import RunSummary, VariantSummary
from solvers.system.disk_cache import DELETED_KEPT
from solvers.text import day_of, format_duration, local_time, long_time, plural

TICK, CROSS = "✓", "✗"
DELETED = "Recently deleted"
THIS_GRAPH, OTHER_GRAPHS, ALL_GRAPHS = "This graph", "Other graphs", "All graphs"
INTERRUPTED = OUTCOMES[None]
FOLDED, UNFOLDED = "▸", "▾"
_FOLDS = "Click or press Enter to list or hide them; what is done with it is done with all of them"


class RunColumn(IntEnum):
    NAME = 0
    ENDS = 1
    FASTEST = 2
    VERIFIED = 3
    VARIANTS = 4
    WHEN = 5
    MACHINE = 6


HEADS = {
    RunColumn.NAME: (
        "Run",
        "Your name for the run, or the name of its graph; F2 renames the selected run",
    ),
    RunColumn.ENDS: ("From → to", "Source and target, by the ids of the file"),
    RunColumn.FASTEST: (
        "Fastest",
        "Least median total time among the variants whose answer is not wrong",
    ),
    RunColumn.VERIFIED: ("OK", "Whether the answers of all variants were proved"),
    RunColumn.VARIANTS: ("Variants", "Variants in the order in which they ran"),
    RunColumn.WHEN: ("When", "When the run began"),
    RunColumn.MACHINE: ("Machine", "Processor of the machine"),
}


@dataclass(frozen=True)
class RunRow:
    """One run, or a heading if ``summary`` is None; its texts by `RunColumn`, and a tip
    with all facts of the run.
    """

    summary: RunSummary | None
    texts: tuple[str, ...]
    tip: str = ""
    # of a heading that stands for them: the runs of an experiment
    runs: tuple[RunSummary, ...] = ()

    @property
    def run_id(self) -> str:
        return "" if self.summary is None else self.summary.run.run_id

    @property
    def key(self) -> str:
        """What tells it from other rows: the run, or the experiment of a heading; "" for others."""
        return self.runs[0].run.experiment if self.runs else self.run_id


def run_rows(
    summaries: Iterable[RunSummary],
    graph_sha256: str,
    words: str = "",
    unfolded: Collection[str] | None = None,
) -> tuple[RunRow, ...]:
    """Runs of the open graph under one heading, those of each experiment under its name,
    then the others; in all, pinned ones first, then the newest.

    ``summaries`` have the newest first, and only runs whose facts contain each word of
    ``words`` are listed; of experiments only those with these keys, or all for None.
    """
    others = OTHER_GRAPHS if graph_sha256 else ALL_GRAPHS
    groups: dict[str, list[RunSummary]] = {THIS_GRAPH: []}
    for summary in _with_words(summaries, words):
        run = summary.run
        of_graph = THIS_GRAPH if run.graph.sha256 == graph_sha256 else others
        groups.setdefault(run.experiment or of_graph, []).append(summary)
    groups[others] = groups.pop(others, [])  # the last one
    listed: list[RunRow] = []
    for name, group in groups.items():
        group.sort(key=lambda summary: not summary.run.is_baseline)
        if name not in (THIS_GRAPH, others):
            listed += _experiment_rows(group, unfolded is None or name in unfolded)
        elif group:
            listed += [_heading(name, group), *map(_row, group)]
    return tuple(listed)


def deleted_rows(summaries: Iterable[RunSummary], words: str = "") -> tuple[RunRow, ...]:
    """Deleted runs under a heading, those deleted last first; ``words`` as for `run_rows`."""
    last_first = sorted(summaries, key=lambda summary: summary.deleted_utc, reverse=True)
    found = _with_words(last_first, words)
    return (_heading(DELETED, found), *map(_row, found)) if found else ()


def _with_words(summaries: Iterable[RunSummary], words: str) -> list[RunSummary]:
    wanted = words.casefold().split()
    return [one for one in summaries if all(word in _tip(one).casefold() for word in wanted)]


def _heading(text: str, group: Sequence[RunSummary]) -> RunRow:
    empty = ("",) * (len(RunColumn) - 1)
    return RunRow(None, (f"{text}: {plural(len(group), 'run')}", *empty))


def _experiment_rows(runs: Sequence[RunSummary], is_unfolded: bool) -> list[RunRow]:
    """The heading of an experiment with the time of its newest run and, unfolded, its
    runs by their graphs.
    """
    title = mode(one.run.name or one.run.experiment for one in runs)
    name = f"{title}: {plural(len(runs), 'run')}"
    texts = [""] * len(RunColumn)
    texts[RunColumn.NAME] = f"{UNFOLDED if is_unfolded else FOLDED} {name}"
    texts[RunColumn.WHEN] = short_time(max(one.run.started_utc for one in runs))
    rows = [_row(one, said_above=title) for one in runs] if is_unfolded else []
    return [RunRow(None, tuple(texts), f"{name}\n{_FOLDS}", tuple(runs)), *rows]


def _row(summary: RunSummary, said_above: str = "") -> RunRow:
    run, fastest = summary.run, summary.fastest
    median = None if fastest is None else fastest.median_ms
    texts = (
        run.graph.name if run.name == said_above else run.name or run.graph.name,
        run.ends,
        NOTHING if median is None else format_duration(median),
        verdict_of(summary),
        ", ".join(title_of(v.variant) for v in summary.variants) or NOTHING,
        short_time(run.started_utc),
        run.machine.cpu or NOTHING,
    )
    return RunRow(summary, texts, _tip(summary))


def _tip(summary: RunSummary) -> str:
    run = summary.run
    cores = "" if run.machine.cores is None else f", {plural(run.machine.cores, 'core')}"
    size = f"{plural(run.graph.vertices, 'vertex', 'vertices')}, {plural(run.graph.arcs, 'arc')}"
    lines = [
        *([run.name] if run.name else []),
        f"{run.graph.name}, {size}",
        *([f"Read as {run.graph.interpretation.line}"] if run.graph.interpretation else []),
        f"{run.ends}, {long_time(run.started_utc)}" + ("" if run.complete else f", {INTERRUPTED}"),
        *(f"{title_of(v.variant)}: {_outcome(v)}" for v in summary.variants),
        *(
            [f"{run.machine.cpu}{cores}, {run.machine.system}".rstrip(", ")]
            if run.machine.cpu
            else []
        ),
        *([f"host {run.machine.host}"] if run.machine.host else []),
        f"Tautpath {run.app_version or 'of unknown version'}, {run.origin}",
        *(["Pinned as the baseline of this graph"] if run.is_baseline else []),
        *([_deletion(summary.deleted_utc)] if summary.deleted_utc else []),
    ]
    return "\n".join(lines)


def _deletion(timestamp: str) -> str:
    last = local_time(timestamp)
    until = "" if last is None else f", can be restored until {day_of(last + DELETED_KEPT)}"
    return f"Deleted {long_time(timestamp)}{until}"


def _outcome(variant: VariantSummary) -> str:
    median = NOTHING if variant.median_ms is None else format_duration(variant.median_ms)
    if variant.status is not Status.OK:
        outcome = OUTCOMES[variant.status]
        return f"{median}, {outcome}" if variant.status is None else outcome
    return f"{median}, wrong" if variant.verified is False else median


def verdict_of(summary: RunSummary) -> str:
    """A tick if all answers were proved, a cross if one is wrong, words if the run was
    killed, else a dash.
    """
    if any(v.verified is False for v in summary.variants):
        return CROSS
    if not summary.run.complete:
        return INTERRUPTED
    solved = [v for v in summary.variants if v.status is Status.OK]
    return TICK if solved and all(v.verified for v in solved) else NOTHING


def title_of(variant_id: str) -> str:
    """Algorithm and title of a variant; its id if this version does not know it."""
    try:
        return str(find_variant(variant_id).full_title)
    except UnknownName:
        return variant_id


def short_time(timestamp: str, now: datetime | None = None) -> str:
    """A local date and time, without the year if it is this one: ``"21 Nov, 14:05"``."""
    moment, today = local_time(timestamp), now or datetime.now().astimezone()
    if moment is not None and moment.year == today.year:
        return f"{moment.day} {moment:%b, %H:%M}"
    return long_time(timestamp) if timestamp else NOTHING
