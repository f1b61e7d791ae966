"""Experiments: forecast, probe, run and pause experiments in jobs, here or on the
hosts of a cluster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.controllers.run import QuietGate
from gui.dialogs.messages import Reply, ask
from gui.features.experiments.exports import ExperimentExports
from gui.features.experiments.page import (
    Doing,
    ExperimentList,
    ExperimentPage,
    ExperimentState,
    Offer,
)
from gui.features.experiments.tabs import ForecastView
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.notice import Notice
from gui.model.session import Session
from solvers.errors import FileFormatError, SchedulerUnreachable, TautpathError
from solvers.features.clusters.workers import ExclusiveHosts
from solvers.features.experiments.cluster_hosts import ClusterHosts
from solvers.features.experiments.forecast import GridForecast, GridSize
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.measure import (
    ExperimentProgress,
    ExperimentRequest,
    ExperimentRun,
    Pause,
)
from solvers.features.experiments.measurement import Measurement, Omission, hosts_sentence
from solvers.features.experiments.on_host import Surroundings
from solvers.features.experiments.probe import ExperimentHost, has_guesses
from solvers.features.experiments.report import Findings, findings_of
from solvers.features.experiments.spec_file import read_experiment, shipped
from solvers.features.experiments.spec_writer import write_experiment
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.text import rounded_duration

if TYPE_CHECKING:
    from gui.features.clusters.controller import HostsController

_BUSY = "Wait until the run has ended, or cancel it; two at a time would disturb each other."
_REMEDY = "“unequal hosts too” lets it"
_NO_ADDRESS = (
    "Name its scheduler, such as tcp://host:8786, or the batch system that starts "
    "the hosts, such as slurm:4."
)
_PROBES = " Single trials on small graphs replace the estimates at the start, or now with Probe."
_PARTLY_PROBED = (
    "Probed. Where a guess remains, the graph is too large for a probe, or the probe took too long."
)
_PROGRESS_S = 1.0  # the window's thread works for about a millisecond each time


@dataclass(frozen=True)
class ExperimentLook:
    """What is known of the chosen experiment before it runs."""

    wanted: ExperimentRequest  # its forecast is empty
    address: str  # of the cluster that measures; "" for this machine
    takes_any: bool
    size: GridSize | None = None  # None before the first look
    # with a look at every point; None for a large grid not confirmed yet
    request: ExperimentRequest | None = None
    view: ForecastView | None = None
    remarks: tuple[str, ...] = ()
    is_probed: bool = False  # whether guesses were replaced already

    def with_request(self, request: ExperimentRequest, *, is_probed: bool) -> ExperimentLook:
        view = ForecastView.of(request.forecast, is_probed=is_probed)
        return replace(self, request=request, view=view, is_probed=is_probed)


class ExperimentsController(QObject):
    """Does what the page asks for, whether it is shown or not.

    ``ended`` is called when the store may have new runs. Tests put others in the place
    of ``experiments``, ``store`` and ``hosts``.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        hosting: Callable[[], HostsController],
        ended: Callable[[], object],
        window: QWidget,
    ):
        super().__init__(window)
        self._session, self._jobs, self._hosting, self._window = session, jobs, hosting, window
        self._ended = ended
        self._page: ExperimentPage | None = None
        self._folders: list[Path] = []
        self._state = ExperimentState()
        self._look_found: ExperimentLook | None = None
        self._outcomes: list[Measurement | Omission] = []
        self._run: ExperimentRun | None = None
        self._pause = Pause()
        self._listens = False
        self.experiments = shipped
        self.store: Callable[[], RunStore] = RunStore
        self.hosts = ExclusiveHosts

    @property
    def findings(self) -> Findings | None:
        """What the last run found; None before it has ended, and after another
        experiment was chosen.
        """
        return self._state.findings

    @property
    def page(self) -> ExperimentPage:
        """Plan, progress and findings of the current experiment of its list."""
        if self._page is None:
            self._page = self._made_page()
            self._session.device_changed.connect(self._look_unless_found)
            self._look()
        return self._page

    def _made_page(self) -> ExperimentPage:
        listing = ExperimentList(self.experiments())
        listing.file_requested.connect(self._ask_file)
        listing.own_requested.connect(self._ask_own)
        listing.folder_requested.connect(self._ask_folder)
        page = ExperimentPage(listing)
        page.chosen.connect(self._look)
        page.pressed.connect(self._take_offer)
        page.hosts_requested.connect(lambda: self._hosting().show())
        page.probe_requested.connect(self._probe)
        page.skip_requested.connect(self._skip)
        page.cancel_requested.connect(lambda: self._jobs.cancel(JobKind.EXPERIMENT))
        ExperimentExports(self._session, self._jobs, page, lambda: self.findings)
        return page

    def _show(self, **changes: Any) -> None:
        """Change what is known of the chosen experiment, and show it."""
        self._state = replace(self._state, **changes)
        self.page.show_state(self._state)

    def _take_offer(self, offer: Offer) -> None:
        if offer is Offer.START:
            self._start()
        elif offer is Offer.CONNECT:
            self._connect()
        else:
            self._set_paused(offer is Offer.PAUSE)

    def _look(self) -> None:
        """Forecast the chosen experiment in a job."""
        page = self.page
        if (experiment := page.current) is None or self._jobs.running(JobKind.EXPERIMENT):
            return
        self._look_found = None
        self._show(findings=None, fraction=0.0, words="", is_offered=False)
        if page.place.is_cluster and not self._is_connected():
            return
        address, device = (
            page.place.address,
            None if page.place.is_cluster else self._session.device,
        )
        files, measuring = GraphFiles(self._folders), experiment.measuring[page.scale]
        wanted = ExperimentRequest(
            experiment,
            page.scale,
            GridForecast(()),
            files,
            measuring,
            device,
            self.store(),
            "window",
        )
        asked = ExperimentLook(wanted, address, page.place.takes_any)

        def work(context: JobContext) -> ExperimentLook:
            place = self._place(asked, context)
            size = place.size()
            sized = replace(asked, size=size, remarks=place.sentences(_REMEDY))
            return sized if size.is_large else sized.with_request(place.request(), is_probed=False)

        self._jobs.start(
            JobKind.EXPERIMENT_LOOK,
            f"Looking at {experiment.id}",
            work,
            on_success=self._show_look,
            on_failure=self._fail_look,
        )

    def _look_unless_found(self) -> bool:
        """Forecast again, unless an experiment runs or its findings are shown; says
        whether it did.
        """
        looks = self.findings is None and self._jobs.running(JobKind.EXPERIMENT) is None
        if looks:
            self._look()
        return looks

    def _show_look(self, look: ExperimentLook) -> None:
        """Show it if it is of what is chosen now."""
        page, wanted = self.page, look.wanted
        if page.current is not wanted.experiment or page.scale is not wanted.scale:
            return
        self._look_found, view = look, look.view
        if view is not None:
            words, is_offered = (
                f"{view.words}.{_PROBES * view.will_probe}",
                view.is_runnable or view.will_probe,
            )
        else:
            size = "" if look.size is None else look.size.words
            words, is_offered = f"{size}, estimated from some of them. Start asks first.", True
        remarks = "" if view is None else " ".join(look.remarks)
        self._show(
            view=view,
            needs=_sentence(words),
            remarks=remarks,
            offer=Offer.START,
            is_offered=is_offered,
        )

    def _fail_look(self, error: Exception) -> None:
        self._show_reason(Notice.of(error).text)
        self._session.notice_error(error)

    def _show_reason(self, words: str, offer: Offer | None = None) -> None:
        """Say why no points are listed; offer to connect if that is the remedy."""
        kept = self._state.offer
        self._show(
            view=None, needs=words, remarks="", offer=offer or kept, is_offered=offer is not None
        )

    def _place(self, look: ExperimentLook, context: JobContext) -> ExperimentHost:
        """Where the experiment is measured; asks the hosts of a cluster for their equipment.

        Raises InputError, ClusterUnavailable, SchedulerUnreachable, Cancelled.
        """
        wanted = look.wanted
        if not look.address:
            return ExperimentHost(wanted, context.cancel)
        if (connection := self._hosting().link.connection) is None:
            raise SchedulerUnreachable(look.address, "the window is not connected to it")
        around, hosts = Surroundings.of(wanted, self._folders, "auto"), self.hosts(connection)
        return ClusterHosts(
            wanted, context.cancel, hosts, around, context.show, takes_any=look.takes_any
        )

    def _is_connected(self) -> bool:
        """Whether the window is connected to the cluster that is chosen; the page says it
        if not.
        """
        hosting, place = self._hosting(), self.page.place
        if not self._listens:
            self._listens = True
            hosting.link.changed.connect(self._go_on)
        if hosting.link.options is not None:
            place.offer(hosting.link.options.address.text)
        if not place.address:
            self._show_reason(_NO_ADDRESS)
            return False
        try:
            if hosting.is_connected_to(place.address):
                return True
            if hosting.is_connecting_to(place.address):
                self._show_reason(f"Connecting to {place.address}.")
            else:
                self._show_reason(f"Not connected to {place.address}.", Offer.CONNECT)
        except TautpathError as error:
            self._show_reason(str(error), Offer.CONNECT)
        return False

    def _connect(self) -> None:
        try:
            self._hosting().connect_to(self.page.place.address)
        except TautpathError as error:
            self._show_reason(str(error), Offer.CONNECT)

    def _go_on(self) -> None:
        """The connection to the cluster has changed."""
        link = self._hosting().link
        if not self.page.place.is_cluster or not self._look_unless_found():
            return
        if link.problem is not None:
            self._show_reason(Notice.of(link.problem).text, Offer.CONNECT)

    def _probe(self) -> None:
        """Replace guesses by single trials in a job."""
        look = self._look_found
        if look is None or look.request is None or self._is_busy():
            return
        request = look.request

        def work(context: JobContext) -> Iterator[ExperimentLook]:
            place = self._place(look, context)
            better = place.probed(request, lambda words: context.progress(0.0, words), always=True)
            yield look.with_request(better, is_probed=True)

        def show(better: ExperimentLook) -> None:
            self._show_look(better)
            assert better.request is not None
            self._rest(_PARTLY_PROBED if has_guesses(better.request.forecast) else "Probed.")

        self._show(activity=Doing.PROBING)
        self._jobs.start(
            JobKind.EXPERIMENT,
            f"Probing {request.experiment.id}",
            work,
            on_value=show,
            on_cancel=lambda: self._rest("Not probed."),
            on_failure=self._fail,
            on_progress=self._show_progress,
        )

    def _is_busy(self) -> bool:
        """Whether something else is measured, which the page says then."""
        if self._jobs.measures:
            self._show(words=_BUSY)
        return self._jobs.measures

    def _start(self) -> None:
        look = self._look_found
        if look is None or self._is_busy():
            return
        if look.request is None:
            words = (
                f"{look.wanted.experiment.id} has "
                f"{look.size.words if look.size else 'many points'}. Run it?"
            )
            ask(self._window, "A large grid", words, (Reply("Run", lambda: self._begin(look)),))
        else:
            self._begin(look)

    def _begin(self, look: ExperimentLook) -> None:
        if self._is_busy():
            return
        self._jobs.drop(JobKind.EXPERIMENT_LOOK)  # it would list the points anew
        self._outcomes, self._run, self._pause = [], None, Pause()
        pause = self._pause

        def work(context: JobContext) -> Iterator[Measurement | Omission | ExperimentLook]:
            place = self._place(look, context)
            request = look.request or place.request()
            if not look.is_probed:
                request = place.probed(request, lambda words: context.progress(0.0, words))
            if request is not look.request:
                yield look.with_request(request, is_probed=True)
            self._run = run = place.run(request)
            run.pause, run.report = pause, ProgressRelay(context)
            run.listener = QuietGate(self._jobs, context.cancel)
            yield from run.measure()
            if run.problem is not None:
                raise run.problem

        # another value, so that its points are listed anew
        view = None if look.view is None else replace(look.view)
        self._show(view=view, findings=None, words="Starting", activity=Doing.RUNNING)
        self._jobs.start(
            JobKind.EXPERIMENT,
            look.wanted.experiment.title,
            work,
            on_value=self._take,
            on_success=lambda _: self._end("Finished."),
            on_cancel=lambda: self._end(
                "Cancelled; what is finished is kept, and Start continues from there."
            ),
            on_failure=self._fail,
            on_progress=self._show_progress,
        )

    def _take(self, value: Measurement | Omission | ExperimentLook | str) -> None:
        """An outcome, a better forecast, or what befell a host."""
        if isinstance(value, str):
            self._session.warn(value)
        elif isinstance(value, ExperimentLook):
            self._show_look(value)
        else:
            self._outcomes.append(value)
            self.page.points.show_outcome(value)

    def _show_progress(self, fraction: float, words: str) -> None:
        if self._jobs.running(JobKind.EXPERIMENT) is not None and not self._pause.is_paused:
            self._show(fraction=fraction, words=_sentence(words))

    def _set_paused(self, paused: bool) -> None:
        (self._pause.pause if paused else self._pause.resume)()
        if paused:
            self._show(activity=Doing.PAUSED, words="Pauses after this point")
        else:
            self._show(activity=Doing.RUNNING, words="Going on")

    def _skip(self) -> None:
        """End the point being measured."""
        if (job := self._jobs.running(JobKind.EXPERIMENT)) is not None:
            job.skip()

    def _end(self, words: str) -> None:
        """Judge what was measured, in a job, as that measures the device's memory."""
        run, outcomes = self._run, list(self._outcomes)
        measured = [one for one in outcomes if isinstance(one, Measurement)]
        if measured and (sentence := hosts_sentence(measured)):
            words = f"{words} {sentence}"
        self._rest(words)
        if run is None or not measured:
            return

        self._jobs.start(
            JobKind.EXPERIMENT_LOOK,
            f"Judging {run.request.experiment.id}",
            lambda _: findings_of(run, outcomes),
            on_success=lambda findings: self._show(findings=findings, fraction=1.0),
            on_failure=self._fail,
        )

    def _fail(self, error: Exception) -> None:
        self._rest(Notice.of(error).text)
        self._session.notice_error(error)

    def _rest(self, words: str) -> None:
        """Nothing is measured any more."""
        self._show(activity=Doing.IDLE, offer=Offer.START, is_offered=True, words=words)
        self._ended()

    def _ask_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._window, "Own experiment", "", "Experiment (*.toml)"
        )
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Add an own experiment to the list, and choose it."""
        try:
            experiment = read_experiment(path)
        except FileFormatError as error:
            self._show(words=str(error))
            return
        self.add_folder(path.parent)
        self.page.listing.add(experiment)
        self.page.listing.choose(experiment.id)

    def _ask_own(self) -> None:
        if self._session.request() is None:
            self._show(words="Open a graph and tick the variants to compare first.")
            return
        path, _ = QFileDialog.getSaveFileName(
            self._window, "New experiment", "own.toml", "Experiment (*.toml)"
        )
        if path:
            self.write_own(Path(path))

    def write_own(self, path: Path) -> None:
        """Write the open graph and the ticked variants as an experiment, and choose it."""
        request, session = self._session.request(), self._session
        if request is None:
            return
        try:
            write_experiment(
                path, f"Comparison on {request.graph.name}", request, session.graph_source
            )
        except TautpathError as error:
            self._show(words=str(error))
            return
        if session.graph_source.path:
            self.add_folder(Path(session.graph_source.path).parent)
        self.open_file(path)

    def _ask_folder(self) -> None:
        if path := QFileDialog.getExistingDirectory(self._window, "Folder with graph files"):
            self.add_folder(Path(path))

    def add_folder(self, folder: Path) -> None:
        """Look for graph files in that folder too."""
        if folder not in self._folders:
            self._folders.append(folder)
            self._look()


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


class ProgressRelay:
    """Passes the progress of an experiment on as that of its job: what runs, whenever that is
    another point or variant, and how far it is at most once a second.

    Stages of a variant are left out: one that lasts long could not be told in time.
    """

    def __init__(self, context: JobContext):
        self._context = context
        self._last: tuple[tuple[int, str], float] = ((-1, ""), 0.0)

    def __call__(self, progress: ExperimentProgress) -> None:
        now = progress.done, progress.words.partition(": ")[0]
        last, at = self._last
        if now == last and time.monotonic() - at < _PROGRESS_S:
            return
        self._last = (now, time.monotonic())
        left = (
            f", about {rounded_duration(progress.seconds_left)} left"
            if progress.seconds_left > 1
            else ""
        )
        point = min(progress.done + 1, progress.total)
        self._context.progress(
            progress.fraction, f"point {point} of {progress.total}{left}: {now[1]}"
        )
