"""Columns of the CSV tables of runs: what each is called, which field it is and what its
cells are. The writer (`records`) and the reader (of the feature kept_runs) use them.

A cell of a field is parsed as the type of that field.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solvers.core.result import Status
from solvers.core.variant import Algorithm, RunsOn
from solvers.graphs.weights import WEIGHT_TYPES


@dataclass(frozen=True)
class RecordColumn:
    """One column."""

    name: str
    field: str = ""  # of ``run`` or ``variant``; "" if it is made of several
    of_trial: str = ""  # field of a trial, in place of it where there is one
    what: str = "a number"  # its cells, in words
    needed: bool = False  # whether the reader refuses a table without it
    digits: int | None = None  # after the point

    def place(self, has_trial: bool) -> str:
        """Its field, of ``run``, ``variant`` or ``trial``; "" if it has none."""
        return f"trial.{self.of_trial}" if has_trial and self.of_trial else self.field


def _count(name: str, field: str = "", of_trial: str = "", needed: bool = False) -> RecordColumn:
    return RecordColumn(name, field, of_trial, "a count", needed)


def _time(name: str, field: str = "", of_trial: str = "", needed: bool = False) -> RecordColumn:
    """A time, written to the nanosecond."""
    return RecordColumn(name, field, of_trial, "a time in ms", needed, digits=6)


def _kind(name: str, field: str, kinds: type[Enum], of_trial: str = "") -> RecordColumn:
    words = f"one of {', '.join(one.value for one in kinds)}"
    return RecordColumn(name, field, of_trial, words, needed=True)


_WEIGHT_TYPES = f"one of {', '.join(WEIGHT_TYPES)}"
_STATUS = _kind("status", "variant.status", Status, "status")
_VERIFIED = RecordColumn("verified", what="yes, no, not_run or “sampled, N rows”")
_DISTURBED = RecordColumn("disturbed")
_LOAD = RecordColumn("load", "variant.load", digits=3)
_UPLOAD = _time("graph_upload_ms", "variant.graph_upload_ms")
_HOST = RecordColumn("host", "run.machine.host")
_CHOSEN = RecordColumn("chosen")
_KEY_COLUMNS = (
    RecordColumn("schema_version", what="a whole number"),
    RecordColumn("run_id", "run.run_id"),
    RecordColumn("timestamp_utc", "variant.started_utc", what="a time after the year 1"),
    RecordColumn("app_version", "run.app_version"),
    RecordColumn("experiment", "run.experiment"),
    RecordColumn("paper", "variant.paper"),
    RecordColumn("variant", "variant.variant", what="an id", needed=True),
    _kind("algorithm", "variant.algorithm", Algorithm),
    _kind("runs_on", "variant.runs_on", RunsOn),
    RecordColumn("device"),
    RecordColumn("driver", "variant.driver"),
    RecordColumn("parameters", what="a JSON object"),
    RecordColumn("graph", "run.graph.name", what="a name", needed=True),
    RecordColumn("graph_sha256", "run.graph.sha256", what="a SHA-256 in hexadecimal", needed=True),
    _count("vertices", "run.graph.vertices", needed=True),
    _count("arcs", "run.graph.arcs", needed=True),
    RecordColumn("weight_type", "run.graph.weight_type", what=_WEIGHT_TYPES, needed=True),
    RecordColumn("source", what="an id of 64 bits"),
    RecordColumn("target", what="an id of 64 bits"),
)
TRIAL_COLUMNS = (
    *_KEY_COLUMNS,
    _count("trial", of_trial="index", needed=True),
    RecordColumn("is_warmup", of_trial="is_warmup", what="true or false", needed=True),
    _time("prepare_ms", of_trial="phases.prepare"),
    _time("h2d_ms", of_trial="phases.h2d"),
    _time("solve_ms", of_trial="phases.solve", needed=True),
    _time("d2h_ms", of_trial="phases.d2h"),
    _time("total_ms", of_trial="phases.total"),
    _count("iterations", of_trial="iterations"),
    _count("relaxations", of_trial="relaxations"),
    _count("peak_device_bytes", "variant.peak_device_bytes"),
    _STATUS,
    RecordColumn("error", "variant.error", "error"),
    _VERIFIED,
    _count("wrong_vertices"),
    RecordColumn("target_distance", "variant.target_distance"),
    RecordColumn("distances_sha256", "variant.distances_sha256"),
    _DISTURBED,
    _LOAD,
    _UPLOAD,
    _HOST,
    RecordColumn("distance_unit", "run.graph.weight_unit"),
    _CHOSEN,
)
_STATISTICS = ("median_ms", "mean_ms", "sd_ms", "min_ms", "p25_ms", "p75_ms", "max_ms")
SUMMARY_COLUMNS = (
    *_KEY_COLUMNS,
    _STATUS,
    _VERIFIED,
    RecordColumn("phase"),
    _count("n"),
    *map(_time, (*_STATISTICS, "ci_low_ms", "ci_high_ms")),
    _time("cold_ms", "variant.cold_ms"),
    _DISTURBED,
    _LOAD,
    RecordColumn("baseline"),
    RecordColumn("ratio_to_baseline"),
    _UPLOAD,
    _HOST,
    _CHOSEN,
    RecordColumn("note", "variant.note"),
    _time("preparation_ms"),
)
DEVICE_FIELDS = {
    "kernel_launches": "launches",
    "blocks": "blocks",
    "threads_launched": "threads",
    "threads_useful": "useful",
    "requested_bytes": "requested_bytes",
}
"""Columns of iterations that are fields of the activity of a device."""
ITERATION_COLUMNS = (
    RecordColumn("run_id"),
    RecordColumn("variant"),
    *map(_count, ("iteration", "active", "relaxed", "improved")),
    _time("ms"),
    *map(_count, DEVICE_FIELDS),
)
