"""Writes an own experiment as TOML: the graph and the variants of a run, to be
completed and shared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solvers.core.variant import Answers
from solvers.errors import InputError
from solvers.features.experiments.spec_file import read_experiment
from solvers.running.kept_run import GraphSource
from solvers.running.request import Choice, RunRequest
from solvers.system.files import replace_atomically

_HINT = (
    "# A parameter may have several values: a list, [64, 128, 256], or a range,\n"
    '# { from = 1024, to = 16384, steps = 5, spacing = "log" }. All combinations run.\n'
)
_TRIALS, _WARMUPS = 10, 1


def write_experiment(path: Path, title: str, request: RunRequest, source: GraphSource) -> None:
    """Write the graph, source and variants of a run as an experiment; an existing file is replaced.

    Raises InputError if the graph has neither a file nor a generator, or no variant
    computes the distances of all vertices; FileNotWritten.

    ``path``: its name gives the experiment's id. ``source``: where the graph came from.
    """
    text = experiment_toml(_id_of(path), title, request, source)
    with replace_atomically(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
        read_experiment(temporary)  # what is written can be read


def experiment_toml(identity: str, title: str, request: RunRequest, source: GraphSource) -> str:
    """The experiment as text; raises as `write_experiment`."""
    choices = [choice for choice in request.choices if choice.variant.answers is not Answers.TARGET]
    if not choices:
        raise InputError(
            "An experiment compares variants that compute all distances: tick one of them."
        )
    lines = [
        f"id = {_value(identity)}",
        f"title = {_value(title)}",
        f"baseline = {_value(choices[0].variant.full_title)}",
        "",
        "[small]",
        f"trials = {request.plan.trials or _TRIALS}",
        f"warmups = {_WARMUPS if request.plan.warmups is None else request.plan.warmups}",
        "",
        _HINT.rstrip(),
        "[[graph]]",
        *_graph_lines(request, source),
    ]
    for choice in choices:
        lines += ["", "[[series]]", *_series_lines(choice)]
    for kind, words in (
        ("time", "Time by size"),
        ("speed-up", f"Speed-up over {choices[0].variant.full_title}"),
    ):
        lines += ["", "[[chart]]", f"kind = {_value(kind)}", f"title = {_value(words)}"]
    return "\n".join(lines) + "\n"


def _graph_lines(request: RunRequest, source: GraphSource) -> Iterator[str]:
    graph = request.graph
    if source.generator:
        yield f"generator = {_value(source.generator)}"
        yield f"parameters = {_table(source.parameters)}"
    elif source.path:
        yield f"file = {_value(Path(source.path).name.removesuffix('.gz'))}"
        yield f"vertices = {graph.n}"
        yield f"arcs = {graph.m}"
        if source.reading.undirected is not None:
            yield f"undirected = {_value(source.reading.undirected)}"
        if source.reading.weights != "column":
            yield f"weights = {_value(source.reading.weights)}"
    else:
        raise InputError(
            f"{graph.name} has neither a file nor a generator: save it as a file and open that."
        )
    if request.source is not None:
        yield f"source = {_value(str(graph.vertex_id(request.source)))}"


def _series_lines(choice: Choice) -> Iterator[str]:
    variant = choice.variant
    yield f"label = {_value(variant.full_title)}"
    yield f"variant = {_value(variant.id)}"
    defaults = variant.settle({})
    changed = {
        name: value
        for name, value in variant.settle(choice.parameters).items()
        if value != defaults[name]
    }
    if changed:
        yield f"parameters = {_table(changed)}"


def _table(values: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{name} = {_value(value)}" for name, value in values.items()) + " }"


def _value(value: object) -> str:
    """A TOML value: texts of JSON are texts of TOML, except that DEL must be escaped."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _id_of(path: Path) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:60] or "own"
