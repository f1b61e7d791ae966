"""``%%kernel ID``: a changed kernel in a cell, compiled, checked and run.

``%kernel bf-edge-flags`` puts the original text into the cell. The changed text runs in
a process of its own: a crash costs that process only. Errors of the compiler stand
below their lines, and vertices with wrong distances are marked in a picture.
"""

from __future__ import annotations

import shlex
from typing import Any

from solvers.core.problem import Problem, TrialScope
from solvers.core.variant import Answers, Variant
from solvers.errors import DeviceUnavailable, InputError, KernelBuildError
from solvers.features.notebooks.displays import Display, plot_wrong
from solvers.features.own_kernels.commands.check import described
from solvers.features.own_kernels.kernel_check import Deviation, check, first_deviation
from solvers.features.own_kernels.user_code import remarks_in
from solvers.features.own_kernels.user_process import kept_process
from solvers.features.own_kernels.user_variants import ChangedKernel, base_of, text_of
from solvers.graphs.graph import Graph
from solvers.graphs.weights import INT32
from solvers.library.graphs import read
from solvers.library.shortest_paths import ShortestPaths
from solvers.library.solving import solve
from solvers.running.request import find_device

USAGE = "%%kernel VARIANT [GRAPH [SOURCE]]"
_GRAPHS = 8  # random ones, of each weight type
_AROUND = 2  # lines that are shown before and after one with an error


def run_cell(shell: Any, line: str, cell: str | None = None) -> Display | ShortestPaths | None:
    """What ``%%kernel`` does with the text below it; without one, it writes the original.

    ``line``: a variant, and perhaps the name of a graph of the notebook, and a source in
    it. Raises InputError, UnknownName, KernelMismatch, DeviceUnavailable.
    """
    words = shlex.split(line)
    if not 1 <= len(words) <= 3:
        raise InputError(f"The line is {USAGE}.")
    base, kernel = base_of(words[0])
    if cell is None:
        shell.set_next_input(f"%%kernel {line}\n{text_of(kernel)}", replace=True)
        return None
    if len(words) > 1 and words[1] not in shell.user_ns:
        raise InputError(f"The notebook has no graph named {words[1]}.")
    graph = read(shell.user_ns[words[1]]) if len(words) > 1 else None
    source = _vertex(graph, words[2]) if graph is not None and len(words) > 2 else 0
    return try_kernel(base, cell, graph, source)


def try_kernel(
    base: Variant, text: str, graph: Graph | None = None, source: int = 0
) -> Display | ShortestPaths:
    """Compile a changed text of a variant's kernel, solve a graph with it, and check it on
    random ones.

    Returns
    -------
    Display or ShortestPaths
        What is wrong with it; else the answer on ``graph``.
    """
    own = ChangedKernel(base.id, text).variant()
    device = find_device("auto", [own])
    if device is None:
        raise DeviceUnavailable("There is no device that compiles kernels.")
    with TrialScope() as scope:  # of one process for all of it
        try:
            kept_process(own.code, scope).compile(own.code, device.key, INT32)
        except KernelBuildError as error:
            return Display(listing(text, error, own.code.name))
        if graph is not None:
            problem = Problem(graph, source, parameters=own.settle({}), device=device, scope=scope)
            found = first_deviation(own, base, problem)
            if found is not None:
                head = f"{own.id}: wrong on {graph.name}, from {graph.vertex_text(source)}."
                return _shown(found, [head, *found.sentences])
        process = kept_process(own.code, scope)
        report = check(own, base, device, graphs=_GRAPHS, process=process)
    lines = described(report, own)
    if report.deviation is not None:
        return _shown(report.deviation, lines)
    if graph is None:
        return Display("\n".join(lines))
    vertex = None if own.answers is Answers.APSP else graph.vertex_id(source)
    return solve(graph, own, source=vertex, device=device)


def listing(text: str, error: KernelBuildError, file: str) -> str:
    """The lines of a text that do not compile, with what the compiler says below each."""
    lines, remarks = text.splitlines(), remarks_in(error.log, file)
    found = [f"{file} does not compile for {error.device}."]
    if not remarks:
        return "\n".join((*found, error.log))
    shown = 0
    for remark in sorted(remarks, key=lambda one: one.line):
        first = max(shown, remark.line - 1 - _AROUND)
        if first > shown:
            found.append("     ⋮")
        found += [f"{i + 1:>5} │ {lines[i]}" for i in range(first, min(remark.line, len(lines)))]
        kind = "error" if remark.is_error else "warning"
        found.append(f"      └─ {kind}: {remark.words}")
        shown = max(shown, remark.line)
    after = lines[shown : shown + _AROUND]
    return "\n".join((*found, *(f"{shown + i + 1:>5} │ {line}" for i, line in enumerate(after))))


def _shown(found: Deviation, lines: list[str]) -> Display:
    return plot_wrong(found.graph, found.source, found.wrong, lines)


def _vertex(graph: Graph, name: str) -> int:
    """The vertex of that name: an id of the file, or a label."""
    return graph.vertex(int(name) if name.lstrip("-").isdecimal() else name)
