"""Run > Change this kernel: keeps, compiles and checks the changed kernel, and shows where its answer is wrong.

The compiler and every run of a changed kernel are in processes of their own; jobs wait for them, so that the window
goes on. Variants in the user's folder are read again when a file there was saved.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from gui.canvas.area import CanvasArea
from gui.controllers.losses import LossController
from gui.controllers.run import RunController
from gui.model.jobs import JobContext, Jobs, Kind
from gui.model.notice import Notice, Severity
from gui.model.playback import Playback
from gui.model.session import Session
from gui.panels.kernel_editor import KernelEditor, Remark, remarks_in
from gui.picture.scene.activity import NEVER, Legend
from gui.picture.scene.ramps import Ramp
from gui.picture.scene.values import VertexValues
from solvers.core import own_variants
from solvers.core.own_process import LIMIT_VARIABLE, OwnProcess, limit_s
from solvers.core.own_variants import ChangedKernel, OwnVariant, as_name, base_of
from solvers.core.problem import Problem
from solvers.core.result import Status
from solvers.core.variant import Answers, find_variant, register, registered
from solvers.devices import discover
from solvers.devices.device import Device
from solvers.errors import Cancelled, KernelBuildError, TautlineError
from solvers.graphs.weights import INT32
from solvers.running.exercises import Exercise, Outcome, check_exercise, keep_attempt
from solvers.running.kernel_check import CheckReport, Deviation, check, find_deviation, with_writer
from solvers.running.kernel_memory import MemoryReport, check_memory
from solvers.text import format_distance, plural

_RELOAD_MS = 300


class KernelController(QObject):
    opened = Signal()  # a kernel is shown in the editor
    attempted = Signal()  # an exercise was checked

    def __init__(
        self, session: Session, playback: Playback, jobs: Jobs, run: RunController, canvas: CanvasArea,
        losses: LossController, window: QWidget,
    ):  # fmt: skip
        super().__init__(window)
        self._playback = playback
        self._session, self._jobs, self._run, self._canvas, self._window = session, jobs, run, canvas, window
        self._losses = losses
        self.editor = KernelEditor(limit_s())
        self._kernel: ChangedKernel | None = None
        self._original = ""
        self._kept: str | None = None  # the text last read from its file, or written to it; None to write it
        self._entry: OwnVariant | None = None  # as it compiled last
        self._compiler: OwnProcess | None = None
        self._compiling = threading.Lock()
        self._wanted: Callable[[], None] | None = None  # as soon as the text in the editor has compiled
        self._exercise: Exercise | None = None
        self._seek: int | None = None  # where the play-back goes when both runs are traced
        self._shown: Deviation | None = None
        self._looked_at: object = None  # the result whose deviation was sought
        self.editor.rested.connect(self._compile)
        self.editor.run_requested.connect(self._start_run)
        self.editor.check_requested.connect(self._check)
        self.editor.memory_requested.connect(self._check_memory)
        self.editor.copy_requested.connect(self._copy)
        self.editor.forget_requested.connect(self._forget)
        self.editor.vertex_requested.connect(self._go_to_vertex)
        self.editor.limit_changed.connect(lambda seconds: os.environ.update({LIMIT_VARIABLE: str(seconds)}))
        session.results.changed.connect(self._look_at_result)
        jobs.changed.connect(self._look_at_result)  # when a run has ended
        jobs.changed.connect(self._seek_when_traced)
        session.graph_changed.connect(self._end_deviation)
        self._files = QFileSystemWatcher(self)
        self._reload = QTimer(self, singleShot=True, interval=_RELOAD_MS)
        self._reload.timeout.connect(self._read_again)
        self._files.directoryChanged.connect(lambda _: self._reload.start())
        self._files.fileChanged.connect(lambda _: self._reload.start())
        self._watch()
        session.window.later(self._tell_problems)

    def shut_down(self) -> None:
        """Keep what was typed last, end the compiler's process, and do nothing more when a compilation ends."""
        self._take_text()
        self._kernel = None
        if self._compiler is not None and self._compiler.is_usable:
            self._compiler.close()

    def change(self) -> None:
        """Open the selected variant's kernel in the editor; its changed one, if there is one."""
        selected = self._session.results.selected_id
        entry = find_variant(selected) if selected else None
        base_id = entry.base_id if isinstance(entry, OwnVariant) else selected or ""
        try:
            base, path = base_of(base_id)
            name = entry.id.rpartition("@")[2] if isinstance(entry, OwnVariant) else own_variants.CHANGED
            original = path.read_text(encoding="utf-8")
            kernel = ChangedKernel(base_id, original, name, path.name).kept()
        except TautlineError:
            words = "Select a variant of Tautline with a kernel; its card shows the kernel under Source."
            self._session.notice(Notice(Severity.INFO, words))
            return
        self._open(kernel, f"{base.full_title}, {name}", original)

    def open_exercise(self, exercise: Exercise) -> None:
        """Open the text of an exercise, as it was left; its original is the text that is to be mended."""
        try:
            given = exercise.given
            kernel = exercise.kernel(given).kept()
        except TautlineError as error:
            self._session.notice_error(error)
            return
        self._open(kernel, exercise.title, given, exercise)

    def _open(
        self, kernel: ChangedKernel, title: str, original: str, exercise: Exercise | None = None, *,
        is_kept: bool = True,
    ) -> None:  # fmt: skip
        self._take_text()
        self._kernel, self._entry, self._wanted = kernel, None, None
        self._kept = kernel.text if is_kept else None
        self._exercise, self._original = exercise, original
        self._end_deviation()
        task, hint = (exercise.task, exercise.hint) if exercise is not None else ("", "")
        self.editor.show_kernel(title, kernel.text, original, task, hint)
        self.opened.emit()
        self._compile()

    def _take_text(self) -> None:
        """Keep the text in the editor, under another name where its file was changed by another window."""
        if self._kernel is None:
            return
        kernel = self._kernel = replace(self._kernel, text=self.editor.text.toPlainText())
        if kernel.text == self._kept:
            return
        try:
            if kernel.kept().text not in (self._kept, kernel.text):
                kernel = self._kernel = kernel.under_a_free_name()
                words = f"The kernel was changed in another window, too; this text is kept as “{kernel.name}”."
                self._session.notice(Notice(Severity.WARNING, words))
                self.editor.title.setText(f"{find_variant(kernel.base_id).full_title}, {kernel.name}")
            kernel.keep()
            self._kept = kernel.text
        except TautlineError as error:
            self._session.notice_error(error)

    def _copy(self) -> None:
        """Ask for a name, and go on with a copy of the text under it."""
        name, is_given = QInputDialog.getText(self._window, "Copy", "Name of the copy:")
        if self._kernel is None or not is_given or not name.strip():
            return
        self._take_text()
        base, path = base_of(self._kernel.base_id)
        copy = replace(self._kernel, name=as_name(name.strip()), file=path.name).under_a_free_name()
        self._open(copy, f"{base.full_title}, {copy.name}", path.read_text(encoding="utf-8"), is_kept=False)

    def _compile(self) -> None:
        if self._kernel is None:
            return
        self._take_text()
        kernel, device = self._kernel, self._device()
        self._end_deviation()
        try:
            entry = kernel.variant()
        except TautlineError as error:
            self._entry, self._wanted = None, None
            self.editor.show_remarks((), str(error), is_error=True)
            return
        if device is None:
            self.editor.show_remarks((), "There is no device that compiles kernels.", is_error=True)
            return

        def work(context: JobContext) -> str:
            with self._compiling:  # an older text is compiled to its end, so that the process can stay
                context.cancel.check()
                if self._kernel is None:  # deleted, or the window was closed
                    raise Cancelled()
                if self._compiler is None or not self._compiler.is_usable:
                    self._compiler = OwnProcess()
                return self._compiler.compile(entry.code, device.key, INT32)

        def failed(error: Exception) -> None:
            self._entry, self._wanted = None, None
            if isinstance(error, KernelBuildError):
                self.editor.show_remarks(remarks_in(error.log, entry.code.name), str(error), is_error=True)
            else:
                self.editor.show_remarks((), str(error), is_error=True)

        self.editor.show_remarks((), "Compiling…")
        self._jobs.start(
            Kind.KERNEL, f"Compiling {entry.code.name}", work, on_success=lambda log: self._compiled(entry, log),
            on_failure=failed,
        )  # fmt: skip

    def _compiled(self, entry: OwnVariant, log: str) -> None:
        kernel = self._kernel
        if kernel is None or self.editor.text.toPlainText() != entry.code.text:
            return  # another compilation follows
        self._entry = entry
        self.editor.show_remarks(remarks_in(log, entry.code.name), f"Compiled, version {entry.code.version}.")
        is_original = entry.code.text == self._original and self._exercise is None
        if not is_original or registered(kernel.id) is not None:  # else nothing was changed yet
            register(entry)
            self._session.choices.own_changed()
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted()

    def _forget(self) -> None:
        self._take_text()
        if (kernel := self._kernel) is not None:
            title = self.editor.title.text()
            again = partial(self._open, kernel, title, self._original, self._exercise, is_kept=False)
            words = f"{title} was deleted."
            self._session.notice(Notice(Severity.INFO, words, action_text="Undo", action=again))
            self._session.choices.choose(kernel.id, False)
            if self._session.results.selected_id == kernel.id:
                self._session.results.select(kernel.base_id)
            kernel.forget(also_here=self._session.results.get(kernel.id) is None)
            self._kernel = self._entry = self._exercise = None
            self._session.choices.own_changed()
            self._end_deviation()
            self.editor.show_kernel("", "", "")

    def _device(self) -> Device | None:
        return self._session.device or next(iter(discover().devices), None)

    def _start_run(self) -> None:
        """Tick the original and the changed kernel, and run what is ticked."""
        kernel = self._kernel
        if kernel is None or not self._has_compiled(then=self._start_run):
            return
        if registered(kernel.id) is None:
            self._session.notice(Notice(Severity.INFO, "Change the text first."))
            return
        self._session.choices.choose(kernel.base_id)
        self._session.choices.choose(kernel.id)
        self._session.results.select(kernel.id)
        self._run.start()

    def _has_compiled(self, then: Callable[[], None]) -> bool:
        """Whether the text in the editor has compiled; if not, compile it, and call ``then`` when that is done."""
        text = self.editor.text.toPlainText()
        if self._entry is not None and self._entry.code.text == text:
            return True
        self._wanted = then
        self._compile()
        return False

    def _check(self) -> None:
        if self._kernel is None or not self._has_compiled(then=self._check):
            return
        entry, device = self._entry, self._device()
        assert entry is not None
        if self._exercise is not None and device is not None:
            self._check_exercise(self._exercise, entry.code.text, device)
            return
        base = find_variant(entry.base_id)

        def work(context: JobContext) -> CheckReport:
            return check(entry, base, device, progress=context.progress_for(f"Checking {entry.title} on random graphs"))

        def done(report: CheckReport) -> None:
            found, kernel = report.deviation, self._kernel
            is_open = kernel is not None and (kernel.id, kernel.text) == (entry.id, entry.code.text)
            if found is None:
                if is_open:
                    before = () if self._shown is None else self._shown.sentences
                    words = f"Right on {plural(report.graphs, 'random graph')}{', but not on this one' * bool(before)}."
                    self.editor.show_findings([*before, words], is_wrong=bool(before), has_vertex=bool(before))
                return
            size = f"{plural(found.graph.n, 'vertex', 'vertices')} and {plural(found.graph.m, 'arc')}"
            head = f"Wrong. The smallest graph that fails has {size}."
            if is_open:
                self.editor.show_findings([head, *found.sentences], is_wrong=True)
            self._offer(found, entry.code.text, f"{entry.full_title}: {head}")

        self._jobs.start(
            Kind.KERNEL_CHECK, f"Checking {entry.title}", work, on_success=done, on_failure=self._session.notice_error
        )

    def _check_exercise(self, exercise: Exercise, text: str, device: Device) -> None:
        def work(context: JobContext) -> Outcome:
            progress = context.progress_for(f"Checking {exercise.title}")
            return check_exercise(exercise, text, device, progress=progress)

        def done(outcome: Outcome) -> None:
            try:
                keep_attempt(exercise, outcome)
            except TautlineError as error:
                self._session.notice_error(error)
            self.attempted.emit()
            if self._exercise is not exercise or self.editor.text.toPlainText() != text:
                return
            self.editor.show_findings(outcome.sentences, is_wrong=not outcome.solved)
            if (found := outcome.deviation) is not None and found.vertex is not None:
                size = plural(found.graph.n, "vertex", "vertices")
                self._offer(found, text, f"{exercise.title}: the smallest graph that fails has {size}.")

        self._jobs.start(
            Kind.KERNEL_CHECK, f"Checking {exercise.title}", work, on_success=done,
            on_failure=self._session.notice_error,
        )  # fmt: skip

    def _check_memory(self) -> None:
        """Check every access to memory, and put what is found at its lines."""
        device = self._device()
        if self._kernel is None or device is None or not self._has_compiled(then=self._check_memory):
            return
        entry = self._entry
        assert entry is not None

        def work(context: JobContext) -> MemoryReport:
            return check_memory(entry, device, context.progress_for(f"Checking the memory of {entry.title}"))

        def done(report: MemoryReport) -> None:
            if self.editor.text.toPlainText() != entry.code.text:
                return
            lines = [Remark(f.line, True, f.words) for f in report.findings if f.file == entry.code.name and f.line]
            words = f"Memory checked by {report.checker}: {plural(len(report.findings), 'finding') or 'nothing found'}."
            self.editor.show_remarks(lines, words, is_error=bool(report.findings))
            self.editor.show_findings([words, *(f.words for f in report.findings[:5])], is_wrong=bool(report.findings))

        def failed(error: Exception) -> None:
            self.editor.show_findings([f"The memory was not checked: {error}"], is_wrong=True)

        self.editor.show_findings(["Checking every access to memory…"], is_wrong=False)
        self._jobs.start(
            Kind.KERNEL_CHECK, f"Checking the memory of {entry.title}", work, on_success=done, on_failure=failed
        )

    def _offer(self, found: Deviation, text: str, words: str) -> None:
        """Offer to open the graph on which a text fails."""

        def open_it() -> None:
            self._session.open_graph(found.graph)
            self._session.set_source(found.source)
            if found.vertex is not None and self.editor.text.toPlainText() == text:
                self._show(found)

        ask = partial(self._losses.open_instead, open_it, found.graph.name)
        self._session.notice(Notice(Severity.WARNING, words, action_text="Open it", action=ask))

    def _look_at_result(self) -> None:
        """Look for the deviation of a new result of the kernel in the editor that is wrong."""
        kernel, session = self._kernel, self._session
        result = None if kernel is None else session.results.get(kernel.id)
        if kernel is None or result is None or self._jobs.measures:
            return
        answer = result if result.verdict is None else result.verdict  # a trace makes another result of the same answer
        if answer is self._looked_at:
            return
        self._looked_at = answer
        if session.results.selected_id == kernel.base_id:  # which was selected while the changed one had no result
            session.results.select(kernel.id)
        entry, device = result.variant, self._device()
        if result.status is Status.ERROR:
            self.editor.show_findings([result.error], is_wrong=True)
            return
        if result.verdict is None or not isinstance(entry, OwnVariant):
            return
        if result.verdict.verified:
            self._end_deviation()
            self.editor.show_findings(["The last run's answer is right."], is_wrong=False)
            return
        verdict = result.verdict.text
        self.editor.show_findings([verdict], is_wrong=True)
        if result.source is None or entry.answers is Answers.TARGET:
            return
        base = find_variant(entry.base_id)

        def work(context: JobContext) -> Deviation | None:
            progress = context.progress_for(f"Comparing {entry.title} with the original")
            given, source = dict(result.parameters), result.source
            problem = Problem(result.graph, source, parameters=given, device=device, progress=progress)
            for _ in range(3):  # races are not lost in every run
                if (found := find_deviation(entry, base, problem)) is not None:
                    return with_writer(entry, problem, found)
            return None

        def done(found: Deviation | None) -> None:
            if self._kernel is None or self._kernel.id != entry.id:
                return  # another kernel is open now
            if found is None:
                self.editor.show_findings([verdict, "Watched runs were right."], is_wrong=True)
            elif found.graph is session.graph:
                self._show(found)

        self._jobs.start(
            Kind.KERNEL_CHECK, f"Comparing {entry.title}", work, on_success=done, on_failure=session.notice_error
        )

    def _show(self, found: Deviation) -> None:
        """Light the wrong vertices, and mark the first with its arc."""
        self._shown = found
        self.editor.show_findings(found.sentences, is_wrong=True, has_vertex=found.vertex is not None)
        if found.vertex is not None:
            self._canvas.options.set_values(wrong_values(found))

    def _end_deviation(self) -> None:
        if self._shown is not None:
            self._shown = None
            self._canvas.options.set_values(None)
        self.editor.show_findings((), is_wrong=False)

    def _go_to_vertex(self) -> None:
        """Play both runs to the iteration in which they part, side by side where both have a trace."""
        found = self._shown
        if found is None or found.vertex is None or self._kernel is None:
            return
        both = self._kernel.base_id, self._kernel.id
        if found.iteration is not None and all(self._session.results.get(name) is not None for name in both):
            self._canvas.split(len(both))
            self._canvas.split_view.show_variants(both)  # they are traced where they were not
            self._playback.pause()
            self._seek = found.iteration - 1
            self._seek_when_traced()
        self._canvas.canvas.view.go_to(found.vertex)

    def _seek_when_traced(self) -> None:
        if self._seek is not None and self._jobs.running(Kind.TRACE) is None:
            self._playback.seek(self._seek)
            self._seek = None

    def new_variant(self) -> None:
        """Ask for a name, and write a variant from the template."""
        name, is_given = QInputDialog.getText(self._window, "New variant", "Name of the variant:")
        if not is_given or not name.strip():
            return
        kinds = "Kernel, for GPUs and OpenCL", "numba, for the processor"
        kind, is_given = QInputDialog.getItem(self._window, "New variant", "It is written with:", kinds, 0, False)
        if not is_given:
            return
        try:
            written = own_variants.new_variant(name, with_numba=kind == kinds[1])
        except TautlineError as error:
            self._session.notice_error(error)
            return
        self._read_again()
        names, folder = " and ".join(path.name for path in written), written[0].parent
        words = f"{names} in {folder}: save changes there to try them. The variant is ticked under Mine."
        self._session.choices.choose(written[0].stem.replace("_", "-"))
        self._session.notice(Notice(Severity.INFO, words))

    def _read_again(self) -> None:
        own_variants.add_own()
        self._watch()
        self._tell_problems()
        self._session.choices.own_changed()

    def _tell_problems(self) -> None:
        if found := own_variants.problems():
            self._session.notice(Notice(Severity.WARNING, " ".join(str(problem) for problem in found)))

    def _watch(self) -> None:
        folders = own_variants.folders()
        files = [path for folder in folders for ending in ("*.py", "*.cu") for path in folder.glob(ending)]
        if paths := [str(path) for path in (*folders, *files)]:
            self._files.addPaths(paths)


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
        return f"{format_distance(by, unit) if np.isfinite(by) else '∞'}: {got}, but {right} is right"

    legend = Legend("wrong by", 0.0, most, unit, ramp=Ramp.INCREASES, fault=found)
    return VertexValues(shade, reveal, legend, words)
