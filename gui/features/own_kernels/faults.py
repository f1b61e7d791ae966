"""What is wrong with the kernel in the editor: checks it, looks at its results, and
shows where it leaves the original.

Checks and watched runs of a changed kernel are in processes of their own; jobs wait for
them.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from gui.canvas.area import CanvasArea
from gui.controllers.losses import UnsavedWorkGuard
from gui.features.own_kernels.controller import KernelController, KernelTask, TaskOutcome
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.session import Session
from solvers.core.problem import Problem
from solvers.core.result import Status
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import Device
from solvers.features.own_kernels.kernel_check import (
    CheckReport,
    Deviation,
    Looks,
    check,
    first_deviation,
)
from solvers.features.own_kernels.kernel_memory import MemoryReport, check_memory
from solvers.features.own_kernels.user_code import Remark
from solvers.features.own_kernels.user_variants import UserVariant
from solvers.picture.display import DASHED, DOTTED
from solvers.picture.scene.activity import NEVER, Legend, Sign
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.values import VertexValues
from solvers.text import format_distance, plural

_SQUARE = ((-8, -8), (8, -8), (8, 8), (-8, 8))
_DIAMOND = ((0, -10), (10, 0), (0, 10), (-10, 0))
_TRIANGLE = ((-10.4, -7.2), (10.4, -7.2), (0, 11.2))
_MINUS = (((-3.2, 0), (3.2, 0)),)
# corners, none of a disc, and the lines on them
_SIGNS = {
    # a pause in a square
    Looks.MISSING_PASS: (_SQUARE, (((-2.8, -4), (-2.8, 4)), ((2.8, -4), (2.8, 4)))),
    # a flag in a diamond
    Looks.STALE_FLAG: (_DIAMOND, (((-2, 5.2), (-2, -4.8), (4, -2.4), (-2, 0.4)),)),
    Looks.TOO_SMALL: (_TRIANGLE, (((-3.2, -2.4), (3.2, -2.4)),)),
    # a cross in a disc
    Looks.LOST_UPDATE: ((), (((-3.2, -3.2), (3.2, 3.2)), ((-3.2, 3.2), (3.2, -3.2)))),
}
_LINES = {Looks.MISSING_PASS: DASHED, Looks.STALE_FLAG: DOTTED}  # of the arc


class KernelFaultController(QObject):
    def __init__(
        self,
        kernels: KernelController,
        session: Session,
        playback: Playback,
        jobs: Jobs,
        canvas: CanvasArea,
        losses: UnsavedWorkGuard,
    ):
        super().__init__(kernels)
        self._kernels, self._editor = kernels, kernels.editor
        self._session, self._playback, self._jobs, self._canvas = session, playback, jobs, canvas
        self._losses = losses
        self._seek: int | None = None  # where the play-back goes when both runs are traced
        self._shown: Deviation | None = None
        self._offered: Notice | None = None  # a graph on which the text fails
        self._looked_at: object = None  # the result whose deviation was sought
        self._editor.check_requested.connect(self._check)
        self._editor.memory_requested.connect(self._check_memory)
        self._editor.vertex_requested.connect(self._go_to_vertex)
        session.results.changed.connect(self._look_at_result)
        jobs.changed.connect(self._look_at_result)  # when a run has ended
        jobs.changed.connect(self._seek_when_traced)
        session.graph_changed.connect(self._end)
        kernels.text_changed.connect(self._end)

    def _check(self) -> None:
        if self._kernels.kernel is None or not self._kernels.has_compiled(then=self._check):
            return
        entry, device = self._kernels.entry, self._kernels.device()
        assert entry is not None
        if self._kernels.task is not None and device is not None:
            self._check_task(self._kernels.task, entry.code.text, device)
            return
        base = find_variant(entry.base_id)

        def work(context: JobContext) -> CheckReport:
            return check(
                entry,
                base,
                device,
                progress=context.progress_for(f"Checking {entry.title} on random graphs"),
            )

        def done(report: CheckReport) -> None:
            found, kernel = report.deviation, self._kernels.kernel
            is_open = kernel is not None and (kernel.id, kernel.text) == (entry.id, entry.code.text)
            if found is None:
                if is_open:
                    before = () if self._shown is None else self._shown.sentences
                    words = f"Right on {plural(report.graphs, 'random graph')}"
                    words += ", but not on this one." if before else "."
                    self._editor.show_findings(
                        [*before, words], is_wrong=bool(before), has_vertex=bool(before)
                    )
                return
            size = (
                f"{plural(found.graph.n, 'vertex', 'vertices')} and {plural(found.graph.m, 'arc')}"
            )
            head = f"Wrong. The smallest graph that fails has {size}."
            if is_open:
                self._editor.show_findings([head, *found.sentences], is_wrong=True)
            self._offer(found, entry.code.text, f"{entry.full_title}: {head}")

        self._jobs.start(
            JobKind.KERNEL_CHECK,
            f"Checking {entry.title}",
            work,
            on_success=done,
            on_failure=self._session.notice_error,
        )

    def _check_task(self, task: KernelTask, text: str, device: Device) -> None:
        def work(context: JobContext) -> TaskOutcome:
            return task.check(text, device, context.progress_for(f"Checking {task.title}"))

        def done(outcome: TaskOutcome) -> None:
            is_open = self._kernels.task is task and self._editor.text.toPlainText() == text
            task.checked(outcome, is_open)
            if not is_open:
                return
            self._editor.show_findings(outcome.sentences, is_wrong=not outcome.solved)
            if (found := outcome.deviation) is not None and found.vertex is not None:
                size = plural(found.graph.n, "vertex", "vertices")
                self._offer(found, text, f"{task.title}: the smallest graph that fails has {size}.")

        self._jobs.start(
            JobKind.KERNEL_CHECK,
            f"Checking {task.title}",
            work,
            on_success=done,
            on_failure=self._session.notice_error,
        )

    def _check_memory(self) -> None:
        """Check every access to memory, and put what is found at its lines."""
        device = self._kernels.device()
        if (
            self._kernels.kernel is None
            or device is None
            or not self._kernels.has_compiled(then=self._check_memory)
        ):
            return
        entry = self._kernels.entry
        assert entry is not None

        def work(context: JobContext) -> MemoryReport:
            return check_memory(
                entry, device, context.progress_for(f"Checking the memory of {entry.title}")
            )

        def done(report: MemoryReport) -> None:
            if self._editor.text.toPlainText() != entry.code.text:
                return
            lines = [
                Remark(f.line, True, f.words)
                for f in report.findings
                if f.file == entry.code.name and f.line
            ]
            words = (
                f"Memory checked by {report.checker}: "
                f"{plural(len(report.findings), 'finding') or 'nothing found'}."
            )
            self._editor.show_remarks(lines, words, is_error=bool(report.findings))
            self._editor.show_findings(
                [words, *(f.words for f in report.findings[:5])], is_wrong=bool(report.findings)
            )

        def failed(error: Exception) -> None:
            self._editor.show_findings([f"The memory was not checked: {error}"], is_wrong=True)

        self._editor.show_findings(["Checking every access to memory…"], is_wrong=False)
        self._jobs.start(
            JobKind.KERNEL_CHECK,
            f"Checking the memory of {entry.title}",
            work,
            on_success=done,
            on_failure=failed,
        )

    def _offer(self, found: Deviation, text: str, words: str) -> None:
        """Offer to open the graph on which a text fails."""

        def open_it() -> None:
            self._session.open_graph(found.graph)
            self._session.set_source(found.source)
            if found.vertex is not None and self._editor.text.toPlainText() == text:
                self._show(found)

        ask = partial(self._losses.open_instead, open_it, found.graph.name)
        self._offered = Notice(Severity.WARNING, words, action_text="Open it", action=ask)
        self._session.notice(self._offered)

    def _look_at_result(self) -> None:
        """Look for the deviation of a new result of the kernel in the editor that is wrong."""
        kernel, session = self._kernels.kernel, self._session
        result = None if kernel is None else session.results.get(kernel.id)
        if kernel is None or result is None or self._jobs.measures:
            return
        # a trace makes another result of the same answer
        answer = result if result.verdict is None else result.verdict
        if answer is self._looked_at:
            return
        self._looked_at = answer
        # which was selected while the changed one had no result
        if session.results.selected_id == kernel.base_id:
            session.results.select(kernel.id)
        entry, device = result.variant, self._kernels.device()
        if result.status is Status.ERROR:
            self._editor.show_findings([result.error], is_wrong=True)
            return
        if result.verdict is None or not isinstance(entry, UserVariant):
            return
        if result.verdict.verified:
            self._end()
            self._editor.show_findings(["The last run's answer is right."], is_wrong=False)
            return
        verdict = result.verdict.text
        self._editor.show_findings([verdict], is_wrong=True)
        if result.source is None or entry.answers is Answers.TARGET:
            return
        base = find_variant(entry.base_id)

        def work(context: JobContext) -> Deviation | None:
            progress = context.progress_for(f"Comparing {entry.title} with the original")
            given, source = dict(result.parameters), result.source
            problem = Problem(
                result.graph, source, parameters=given, device=device, progress=progress
            )
            return first_deviation(entry, base, problem)

        def done(found: Deviation | None) -> None:
            if self._kernels.kernel is None or self._kernels.kernel.id != entry.id:
                return  # another kernel is open now
            if found is None:
                self._editor.show_findings([verdict, "Watched runs were right."], is_wrong=True)
            elif found.graph is session.graph:
                self._show(found)

        self._jobs.start(
            JobKind.KERNEL_CHECK,
            f"Comparing {entry.title}",
            work,
            on_success=done,
            on_failure=session.notice_error,
        )

    def _show(self, found: Deviation) -> None:
        """Light the wrong vertices, and mark the first with its arc."""
        self._shown = found
        self._editor.show_findings(
            found.sentences, is_wrong=True, has_vertex=found.vertex is not None
        )
        if found.vertex is not None:
            self._canvas.options.set_values(wrong_values(found))

    def _end(self) -> None:
        if self._offered is not None:
            self._session.withdraw(self._offered)
        if self._shown is not None:
            self._shown = None
            self._canvas.options.set_values(None)
        self._editor.show_findings((), is_wrong=False)

    def _go_to_vertex(self) -> None:
        """Play both runs to the iteration in which they part, side by side where both
        have a trace.
        """
        found = self._shown
        if found is None or found.vertex is None or self._kernels.kernel is None:
            return
        both = self._kernels.kernel.base_id, self._kernels.kernel.id
        if found.iteration is not None and all(
            self._session.results.get(name) is not None for name in both
        ):
            self._canvas.split(len(both))
            self._canvas.split_view.show_variants(both)  # they are traced where they were not
            self._playback.pause()
            self._seek = found.iteration - 1
            self._seek_when_traced()
        self._canvas.canvas.view.go_to(found.vertex)

    def _seek_when_traced(self) -> None:
        if self._seek is not None and self._jobs.running(JobKind.TRACE) is None:
            self._playback.seek(self._seek)
            self._seek = None


def wrong_values(found: Deviation) -> VertexValues:
    """Colours of the wrong vertices by how far they are off; the others have none."""
    n, unit = found.graph.n, found.graph.weight_unit
    with np.errstate(invalid="ignore"):
        off = np.abs(found.got - found.expected)[found.wrong]
    finite = off[np.isfinite(off)]
    most = float(finite.max(initial=0.0)) or 1.0
    shade, reveal = np.zeros(n, np.uint8), np.full(n, NEVER, np.int32)
    shade[found.wrong] = 255 * np.clip(np.nan_to_num(off, nan=most, posinf=most) / most, 0.25, 1.0)
    reveal[found.wrong] = 0

    def words(vertex: int) -> str:
        pair = float(found.got[vertex]), float(found.expected[vertex])
        got, right = (format_distance(value, unit) for value in pair)
        if reveal[vertex] != 0:
            return f"0: {got} is right"
        by = abs(pair[0] - pair[1])
        return (
            f"{format_distance(by, unit) if np.isfinite(by) else '∞'}: {got}, but {right} is right"
        )

    legend = Legend("wrong by", 0.0, most, unit, ramp=Ramp.INCREASES, sign=_sign_of(found))
    return VertexValues(shade, reveal, legend, words)


def _sign_of(found: Deviation) -> Sign | None:
    """The first wrong vertex, what that looks like, and the arc whose offer the run misses."""
    if found.vertex is None:
        return None
    corners, lines = _SIGNS.get(found.looks, ((), _MINUS))
    dashes = _LINES.get(found.looks, ())
    title, n = found.looks.title, found.graph.n
    return Sign(title, corners, lines, n, found.vertex, found.arc, dashes)
