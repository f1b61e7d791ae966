"""Main window: builds the widgets around its parts, wires them, and does what the
desktop asks of the window itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QStackedWidget, QWidget

from gui.actions import actions, why_no_layer
from gui.canvas.levels import LevelsBar
from gui.contributions import Contribution, contributions, modes_of, with_panels
from gui.controllers.first_start import default_choices
from gui.controllers.help import TOUR_SAMPLE, TourAnchor
from gui.dialogs.messages import show_crash_report, show_details
from gui.dialogs.search import Finds
from gui.model.jobs import JobKind
from gui.model.notice import Notice, Severity
from gui.model.samples import sample
from gui.model.settings import Settings
from gui.panels.play_bar import PlayBar
from gui.panels.results import ResultsPlace
from gui.panels.results_table import ResultsPanel
from gui.panels.variant_card import VariantCard
from gui.panels.variants import VariantsPanel
from gui.parts import WindowComponents
from gui.shell.centre import FootCard, OverlayStack, Toast
from gui.shell.commands import Action, Commands, ContextMenus, LayersMenu, RecentMenu, state_of
from gui.shell.keys import ShiftedPlus
from gui.shell.plan_button import PlanButton
from gui.shell.side_bars import BarSide, Mode, ModeSwitch, Panel, SideBars, restore_geometry
from gui.shell.sources_bar import SourcesBar
from gui.shell.start_page import StartPage
from gui.shell.statusbar import StatusCard
from gui.shell.toolbar import EndpointsBar, MenuButton, RunButton, ToolBar
from gui.shell.toolbar_fields import DeviceBox, GraphChip, SearchButton, WeightsBox
from gui.style import theme
from gui.style.forms import NO_MARGINS, column_of
from gui.style.text import window_title
from solvers.core.variant import all_variants
from solvers.graphs.search import Spot
from solvers.picture.colours import Scheme
from solvers.picture.scene.content import Layer
from solvers.running.answers.fastest import fastest

TITLE = "Tautpath"
_LEAST_SIZE = (840, 450)  # a screen of 1280 x 720 at 150 %
_SHUT_DOWN_S = 2.0


class MainWindow(QMainWindow):
    """The application's window: the canvas, between side bars with variants on the
    left, and results on the right.
    """

    def __init__(self, settings: Settings):
        super().__init__()
        self._asks, self._solving = True, False
        self.parts = p = WindowComponents(self, settings)
        self.features: dict[str, Contribution] = contributions(p, self)
        self.modes: tuple[Mode, ...] = modes_of(self.features.values())
        self.commands: Commands = Commands(self, actions(p, self, self.features.values()))
        self.setWindowTitle(TITLE)
        self.setMinimumSize(*_LEAST_SIZE)
        self.setAcceptDrops(True)
        self._add_toolbar()
        self._add_panels_and_centre()
        self._add_menus()
        self._add_context_menus()
        self.status.strip.lie_over(self.bars)
        stops = [one for feature in self.features.values() for one in feature.stops]
        p.tour.use(self.commands, self._tour_places(), self._remember, stops)
        finds = Finds(
            self.commands,
            p.session,
            self.show_parameter,
            self._show_spot,
            lambda: p.settings.recent_files,
            p.open.open_recent,
            [feature.finds for feature in self.features.values()],
        )
        p.help.use(finds, self.search_button)
        self._connect_parts()
        self._connect_widgets()
        restore_geometry(self, settings)
        self.results_place.division = settings.results_division
        self.sources_bar.refresh()
        p.session.choices.set_plan(settings.plan)
        ShiftedPlus(self.commands["type-larger"], self)
        self.recolour()
        self.refresh()

    def _add_toolbar(self) -> None:
        p = self.parts
        self.endpoints = EndpointsBar(p.session, self.commands)
        self.search_button = SearchButton(self.commands["find"])
        self.graph_chip = GraphChip(p.session, self._graph_menu())
        self.weights_box = WeightsBox(p.session, p.weights.weigh_by)
        self.plan_button = PlanButton(p.session)
        self.run_button = RunButton(p.session, p.forecast, p.jobs, p.run.ask, p.run.cancel)
        self.menu_button = MenuButton()
        modes = ModeSwitch([self.commands[f"mode-{mode.name.lower()}"] for mode in self.modes])
        self.toolbar = ToolBar(
            self.menu_button,
            self.graph_chip,
            modes,
            self.endpoints,
            self.weights_box,
            self.search_button,
            DeviceBox(p.session, p.devices),
            self.plan_button,
            self.run_button,
        )
        self.toolbar.setContextMenuPolicy(self.contextMenuPolicy().PreventContextMenu)
        self.addToolBar(self.toolbar)
        self.addToolBarBreak()
        self.sources_bar = SourcesBar(p.session, self.toolbar)
        self.sources_bar.setContextMenuPolicy(self.contextMenuPolicy().PreventContextMenu)
        self.addToolBar(self.sources_bar)
        self.endpoints.more.clicked.connect(self.sources_bar.ask)

    def _graph_menu(self) -> QMenu:
        """What the name of the graph in the toolbar offers."""
        menu = QMenu(self)
        menu.addActions([self.commands["open"], self.commands["open-options"]])
        menu.addMenu(RecentMenu(self.parts.settings, self.parts.open.open_recent, menu))
        menu.addMenu("Samples").addActions(
            [action for spec, action in self.commands if spec.submenu == "Samples"]
        )
        menu.addActions([self.commands["generate"], *(action for _, action in self._openers())])
        menu.addSeparator()
        menu.addActions([self.commands["information"], self.commands["export-network"]])
        return menu

    def _openers(self) -> list[tuple[Action, QAction]]:
        """The rows of features that lead to a graph."""
        ids = {one for feature in self.features.values() for one in feature.openers}
        return [(spec, action) for spec, action in self.commands if spec.id in ids]

    def _add_panels_and_centre(self) -> None:
        """Make them in reading order, which becomes the tab order."""
        p = self.parts
        self.variants_panel = VariantsPanel(p.session)
        self.card = VariantCard(p.session)
        left = (
            Panel("Variants", "table", self.variants_panel),
            Panel("Selected variant", "information", self.card),
        )
        centre = self._centre()
        self.results_panel = ResultsPanel(p.session, p.display_choices)
        self.results_place = ResultsPlace(
            p.session, p.display_choices, self.results_panel, p.charts
        )
        self.path_panel = p.path_panel
        right = (
            Panel("Results", "chart", self.results_place),
            Panel("Path", "path", self.path_panel),
        )
        added = self.features.values()
        self.bars = SideBars(
            p.settings,
            with_panels(left, BarSide.LEFT, added),
            centre,
            with_panels(right, BarSide.RIGHT, added),
            self.modes,
        )
        self.bars.covered.connect(self.overlay.set_beside)
        self.setCentralWidget(self.bars)

    def _centre(self) -> QWidget:
        p = self.parts
        self.notices = Toast()
        self.start_page = StartPage(p.settings, p.open.ask, p.open.ask_to_generate, self._openers())
        self.play_bar = PlayBar(p.playback, p.session)
        self.levels_bar = LevelsBar(p.canvas.levels)
        self.levels_bar.hide()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.start_page)
        self._pages.addWidget(p.canvas)
        foot = FootCard(self.levels_bar, self.play_bar)
        # before the proxy, which would take it instead
        foot.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        # a click on the play bar leaves text fields, so that Space plays
        foot.setFocusProxy(p.canvas)
        self.status = StatusCard(p.session, p.jobs)
        self.overlay = OverlayStack(
            self._pages, self.notices, self.status, foot, p.canvas, p.canvas.points_to_see
        )
        self.overlay.covered.connect(p.canvas.set_covered)
        p.canvas.view_changed.connect(self.overlay.follow_view)
        centre = QWidget()
        self.centre = column_of((self.overlay, 1), parent=centre, margins=NO_MARGINS, spacing=0)
        return centre

    def _add_menus(self) -> None:
        p = self.parts
        menus = self.commands.fill(self.menuBar())
        self.menu_button.use(self.menuBar())
        self._show_menu_bar()
        self.recent_menu = RecentMenu(p.settings, p.open.open_recent, self)
        menus["File"].insertMenu(self.commands["generate"], self.recent_menu)
        options = p.canvas.options
        self.layers_menu = LayersMenu(
            options.layers, options.set_layer, partial(why_no_layer, p), self
        )
        menus["View"].insertMenu(self.commands["scheme-system"], self.layers_menu)
        menus["Panels"].insertActions(
            self.commands["left-bar"], list(self.bars.actions_of_panels.values())
        )

    def set_menu_bar(self, on: bool) -> None:
        """Have the menus in a bar, or behind the button of the toolbar."""
        self.parts.settings.menu_bar = on
        self._show_menu_bar()

    def _show_menu_bar(self) -> None:
        on = self.parts.settings.menu_bar
        self.menu_button.show_bar(on)
        self.toolbar.show_menu(not on)

    def _add_context_menus(self) -> None:
        p, menus = self.parts, ContextMenus(self.parts.session, self.commands)
        menus.add(
            self.variants_panel.tree,
            "variant",
            first=partial(menus.entries_of_variant, set_baseline=False),
        )
        menus.add(
            self.results_panel.table,
            "result",
            first=partial(menus.entries_of_variant, set_baseline=True),
        )
        menus.add(self.play_bar, "play bar")
        menus.add(p.charts, "chart")
        for chart in p.charts.charts:
            menus.add(chart, "chart", first=partial(self._entries_of_chart, chart.title))

    def _entries_of_chart(self, title: str) -> list[QAction]:
        entry = QAction(f"Show {title.lower()} in a window of its own")
        entry.triggered.connect(lambda: self.parts.charts.show_in_window(title))
        return [entry]

    def _tour_places(self) -> dict[TourAnchor, QWidget]:
        return {
            TourAnchor.WINDOW: self,
            TourAnchor.ENDPOINTS: self.endpoints,
            TourAnchor.VARIANTS: self.variants_panel,
            TourAnchor.RUN: self.run_button,
            TourAnchor.RESULTS: self.results_place,
            TourAnchor.PLAY: self.play_bar,
            TourAnchor.CARD: self.card,
            TourAnchor.CHARTS: self.parts.charts,
        }

    def _remember(self) -> Callable[[], None]:
        """What brings back the graph that is open now at the end of the tour, unless
        another one than the tour's has been opened meanwhile.
        """
        p, mode = self.parts, self.bars.mode
        made = (feature.remember() for feature in self.features.values())
        give_back = next((one for one in made if one is not None), None)
        path = sample(TOUR_SAMPLE).path.resolve()

        def end_tour() -> None:
            opening = p.jobs.running(JobKind.OPEN)
            if opening is not None and path.name in opening.title:
                p.jobs.cancel(JobKind.OPEN)
            elif give_back is not None and p.session.graph_source.path == str(path):
                self.bars.set_mode(mode)
                give_back()
            p.canvas.setFocus()

        return end_tour

    def _connect_parts(self) -> None:
        p = self.parts
        p.session.noticed.connect(self.notices.show_notice)
        p.session.withdrawn.connect(self.notices.withdraw)
        p.session.graph_changed.connect(self._show_graph)
        for signal in (
            p.session.graph_changed,
            p.session.endpoints_changed,
            p.session.choices.changed,
            p.session.results.changed,
            p.session.results.selection_changed,
            p.session.device_changed,
            p.playback.trace_changed,
            p.canvas.options.layers_changed,
            p.jobs.changed,
            p.session.unmeasured.follows_changed,
            p.session.unmeasured.told,
        ):
            signal.connect(self.refresh)
        for signal in (
            p.session.graph_changed,
            p.session.weights_changed,
            p.canvas.options.layers_changed,
            p.canvas.split_changed,
            p.canvas.scenes.changed,
            p.playback.state_changed,
        ):
            signal.connect(self.commands.show_checks)
        p.jobs.changed.connect(self._follow_run)
        p.jobs.measuring_changed.connect(p.playback.hold)
        p.run.succeeded.connect(self._announce_results)
        p.open.sample_opened.connect(p.session.changes.settled)
        self.bars.concealed_changed.connect(lambda _: self.sources_bar.refresh())
        p.canvas.options.layers_changed.connect(self._show_layers)
        p.devices.found.connect(self._choose_at_start)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.recolour)

    def _connect_widgets(self) -> None:
        """Have the parts do what widgets ask for."""
        p = self.parts
        self.notices.details_requested.connect(
            lambda notice: show_details(self, notice.text, notice.details)
        )
        self.notices.report_requested.connect(lambda notice: show_crash_report(self, notice.report))
        self.play_bar.trace_requested.connect(p.trace.trace_selected)
        self.bars.mode_changed.connect(self._follow_mode)
        self.start_page.file_chosen.connect(p.open.open_recent)
        self.start_page.sample_chosen.connect(p.open.open_sample)
        self.start_page.first_chosen.connect(p.first_start.begin)
        self.start_page.tour_chosen.connect(p.tour.start)
        self.card.glossary_requested.connect(partial(p.help.show_page, "glossary"))
        for feature in self.features.values():
            for name, fits in feature.on_cards.items():
                self.card.add_button(self.commands[name], fits)
            for view in feature.card_views:
                self.card.add_view(view)
        for field in (self.endpoints.source, self.endpoints.target, self.sources_bar.field):
            field.left.connect(p.canvas.setFocus)
        self.path_panel.zoom_requested.connect(p.canvas.zoom_to_path)

    def controller_of(self, feature: str) -> Any:
        """The controller of a feature that another needs."""
        controller = self.features[feature].controller
        return None if controller is None else controller()

    def choose_mode(self, mode: Mode) -> None:
        """Enter a mode as the user asks for it."""
        self.bars.set_mode(mode)
        mode.begin()

    def _show_spot(self, spot: Spot) -> None:
        """Show and select a vertex that was found, or show a whole street."""
        view = self.parts.canvas.canvas.view
        view.go_to(spot.vertex)
        if len(spot.vertices) > 1:
            view.zoom_to(spot.vertices)

    def show_plan(self) -> None:
        """Open the fields for trials, warm-ups and time limit."""
        self.plan_button.showMenu()

    def show_parameter(self, variant_id: str, name: str) -> None:
        """Show the field of a variant's parameter, ready to be edited."""
        self.parts.session.results.select(variant_id)
        self.bars.open("Selected variant", by_user=True)
        self.card.focus_parameter(name)

    def refresh(self) -> None:
        """Enable the commands that are possible now."""
        p = self.parts
        self.commands.refresh(state_of(p.session, p.playback, p.jobs))

    def _announce_results(self) -> None:
        """Say how a run ended where the results cannot be seen."""
        p = self.parts
        results, phase = p.session.results, p.display_choices.phase
        found = fastest(results.all, results.baseline, phase)
        if (
            found is None
            or self.bars.concealed
            or self.bars.folded
            or self.bars.is_shown("Results")
            or not self.bars.mode.tells_end
        ):
            return
        show = partial(self.bars.open, "Results", by_user=True)
        text = f"The run has ended. {found.headline()} ({found.remark})."
        p.session.notice(Notice(Severity.INFO, text, action_text="Show results", action=show))

    def _follow_mode(self) -> None:
        """Have features do what belongs to the mode that is entered."""
        for feature in self.features.values():
            feature.enter(self.bars.mode)
        self.commands.show_checks()

    def _follow_run(self) -> None:
        """When a run begins, drop the earlier notice and open the panel that the mode
        has for a run.
        """
        begun = self.parts.jobs.running(JobKind.SOLVE) is not None
        if begun and not self._solving:
            self.notices.dismiss()
            if self.bars.mode.after_run and not self.bars.concealed:
                self.bars.open(self.bars.mode.after_run)
        self._solving = begun

    def _show_layers(self) -> None:
        shown = self.parts.canvas.options.shown
        self.levels_bar.setVisible(Layer.LEVELS in shown)

    def recolour(self) -> None:
        """Apply the colours of the current scheme."""
        if self.parts.settings.scheme is Scheme.SYSTEM:
            QApplication.setPalette(theme.palette())
        self.commands.show_checks()
        self.commands.recolour()
        self.endpoints.recolour()
        self.sources_bar.refresh()
        self.run_button.refresh()

    def _show_graph(self) -> None:
        graph = self.parts.session.graph
        leaves_start_page = graph is not None and self._pages.currentIndex() == 0
        self._pages.setCurrentIndex(0 if graph is None else 1)
        if leaves_start_page:  # which leaves the focus with the source's field, where keys are text
            if not self.parts.tour.on:
                self.parts.canvas.setFocus()
            self._follow_mode()
        self.setWindowTitle(
            TITLE if graph is None else f"{TITLE} \N{EN DASH} {window_title(graph.name)}"
        )
        self.notices.dismiss()
        self.toolbar.show_weights()

    def _choose_at_start(self) -> None:
        """Tick the remembered variants or, at the first start, a default set that can run here."""
        session = self.parts.session
        if session.choices.persistent_ids:
            return
        known = {v.id for v in all_variants()}
        remembered = self.parts.settings.chosen_ids
        wanted = default_choices(session.device) if remembered is None else remembered
        session.choices.choose_lasting(known.intersection(wanted))
        session.changes.settled.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open files given together: those of features, or a graph, optionally with coordinates."""
        kinds = [kind for feature in self.features.values() for kind in feature.files]
        for kind in kinds:
            if taken := [path for path in paths if kind.takes(path)]:
                kind.open(taken)
                paths = [path for path in paths if path not in taken]
        if paths:
            self.parts.open.open_all(paths)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self._keep_focus()  # what had it may have gone while a dialog was open

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """As of Tab; called by Qt also when what has the focus is hidden or disabled."""
        return self._keep_focus() or super().focusNextPrevChild(forwards)

    def _keep_focus(self) -> bool:
        """Focus the picture if nothing that can have the focus has it; says whether it did.

        Qt would focus the next widget, often a field of the toolbar, where keys that
        were shortcuts are text.
        """
        holder, canvas = self.focusWidget(), self.parts.canvas
        if not canvas.isVisible() or (
            holder is not None and holder.isVisible() and holder.isEnabled()
        ):
            return False
        canvas.setFocus()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc, where nothing that has the focus uses it, leaves what was entered last."""
        if event.key() != Qt.Key.Key_Escape or not self._leave():
            super().keyPressEvent(event)

    def _leave(self) -> bool:
        """Close the notice, or leave what was entered; False if there is neither."""
        if self.notices.notice is not None:
            self.notices.dismiss()
            return True
        return self.parts.tour.end() or self.commands.leave()

    def quit(self) -> None:
        """Close, after asking if something would be lost."""
        if not self.parts.losses.ask_to_close(self.close):
            self.close()

    def close(self) -> bool:
        """Close without asking, as at a signal of the system; the desktop's own button asks."""
        self._asks = False
        return super().close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the layout and the ticked variants, stop all jobs, and close."""
        p = self.parts
        if self._asks and p.losses.ask_to_close(self.close):
            event.ignore()
            return
        while self.commands.leave():  # what changes settings that are kept
            pass
        for feature in self.features.values():
            feature.end()
        p.settings.geometry = self.saveGeometry()
        p.settings.results_division = self.results_place.division
        self.bars.save()
        p.settings.chosen_ids = p.session.choices.persistent_ids
        p.settings.plan = p.session.choices.plan
        p.playback.pause()
        p.shut_down(_SHUT_DOWN_S)
        # a click that waits would open a menu, and the process would go on without a
        # window
        self.setEnabled(False)
        super().closeEvent(event)
