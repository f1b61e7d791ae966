"""The one table of actions; menus, toolbar, shortcut list and search are built from it."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from gui.model.playback import Pace
from gui.model.samples import SAMPLES
from gui.model.session import Session
from gui.parts import WindowComponents
from gui.shell.commands import EDIT, FILE, HELP, RUN, VIEW, Action, OneOf, State, Toggle
from gui.shell.side_bars import MODES, BarSide, SideBars
from solvers.picture.colours import Scheme
from solvers.picture.layout.arrangements import Arrangement
from solvers.picture.scene.content import Layer
from solvers.system.disk_cache import DELETED_KEPT

S = State

_LAYOUTS = (
    (
        "layout-file",
        Arrangement.FILE,
        "Layout as in the file",
        "Use the file's coordinates",
    ),
    (
        "layout-spring",
        Arrangement.SPRING,
        "Spring layout",
        "Place vertices so that distances match numbers of arcs",
    ),
    (
        "layout-layered",
        Arrangement.LAYERED,
        "Layered layout",
        "Place vertices from left to right by distance from the source",
    ),
    (
        "layout-rings",
        Arrangement.RINGS,
        "Rings",
        "Place vertices around the source, as far from it as their distance",
    ),
    (
        "layout-circular",
        Arrangement.CIRCULAR,
        "Circular layout",
        "Place vertices on a circle in the order of ids",
    ),
)
_TYPE_SIZES = (
    (
        "type-larger",
        "Larger type",
        10,
        ("Ctrl+Shift++", "Ctrl+Shift+="),
        "Enlarge all text of the window by a tenth, up to 200 %",
    ),
    (
        "type-smaller",
        "Smaller type",
        -10,
        ("Ctrl+Shift+-", "Ctrl+Shift+_"),
        "Reduce all text of the window by a tenth, down to 80 %",
    ),
    (
        "type-normal",
        "Type of 100 %",
        0,
        ("Ctrl+Shift+0",),
        "Return to the text size of the desktop",
    ),
)
_PACES = (
    (
        "pace-iterations",
        "Equal iterations",
        Pace.ITERATIONS,
        "Show each iteration equally long; runs side by side are at the same iteration",
    ),
    (
        "pace-time",
        "Equal time",
        Pace.TIME,
        "Show each iteration in proportion to its time; runs side by side have taken the same time",
    ),
    (
        "pace-progress",
        "Equal progress",
        Pace.PROGRESS,
        "Runs side by side have done the same share of their iterations, and end together",
    ),
)
_HELP_PAGES = (
    (
        "measuring",
        "measuring",
        "How times are measured",
        "clock",
        "Method and limits of the times, and what the marks beside them mean",
    ),
    (
        "levels-help",
        "levels",
        "Levels of a hierarchy",
        "information",
        "What the picture of levels shows, and the climbs and sweeps in the play-back",
    ),
    (
        "presenting-help",
        "presenting",
        "Presenting and racing",
        "information",
        "Presentation, race, lock step, duration of the play-back and type size",
    ),
    (
        "openstreetmap-help",
        "openstreetmap",
        "OpenStreetMap extracts",
        "information",
        "Means of travel, weights, and how tags are interpreted",
    ),
    (
        "formats-help",
        "formats",
        "Formats of graphs and answers",
        "information",
        "Which files open, how columns of a table are chosen, and formats for paths and distances",
    ),
    (
        "session-format",
        "session",
        "Session files",
        "information",
        "What a saved session holds, field by field",
    ),
)


class WindowActs(Protocol):
    """What some actions do with widgets that only the window knows."""

    @property
    def bars(self) -> SideBars:
        """The side bars; read when an action is triggered."""

    def quit(self) -> None:
        """Close, after asking if something would be lost."""

    def show_plan(self) -> None:
        """Open the fields for trials, warm-ups and time limit."""

    def show_roads(self) -> None:
        """Show the list of closed and slowed roads."""

    def show_experiments(self) -> None:
        """Show the list of experiments, and the page of the current one."""

    def set_menu_bar(self, on: bool) -> None:
        """Have the menus in a bar, or behind the button of the toolbar."""


def actions(p: WindowComponents, window: WindowActs) -> list[Action]:
    """All actions, in the order of the menus.

    A part that is made when first used is named in a lambda: a bound method would make
    it when the window starts. The view is, too: it is that of the canvas or matrix that
    is shown when the action is triggered.
    """
    return [
        *_file_actions(p, window),
        *_edit_actions(p, window),
        *_view_actions(p, window),
        *_run_actions(p, window),
        *_play_actions(p),
        *_help_actions(p),
    ]


def _file_actions(p: WindowComponents, window: WindowActs) -> list[Action]:
    return [
        Action(
            "open",
            FILE,
            "Open…",
            p.open.ask,
            keys=("Ctrl+O",),
            icon="open",
            tip="Open a graph file: OpenStreetMap, DIMACS, SNAP and others",
        ),
        Action(
            "open-options",
            FILE,
            "Open with options…",
            p.open.ask_with_options,
            keys=("Ctrl+Shift+O",),
            tip="Open a file with chosen coordinates, direction, weights and means of travel",
        ),
        Action(
            "generate",
            FILE,
            "Generate…",
            p.open.ask_to_generate,
            keys=("Ctrl+G",),
            icon="generate",
            tip="Generate a graph of a chosen family",
        ),
        *(
            Action(
                f"sample-{sample.id}",
                FILE,
                sample.title,
                partial(p.open.open_sample, sample.id),
                submenu="Samples",
                tip=f"Open a sample: {sample.hint}",
            )
            for sample in SAMPLES
        ),
        Action(
            "datasets",
            FILE,
            "Datasets…",
            p.datasets.show,
            icon="download",
            tip="Download and open published graphs: road networks of the DIMACS "
            "challenge, networks of SNAP",
        ),
        Action(
            "open-session",
            FILE,
            "Open session…",
            p.session_file.ask_to_open,
            icon="open",
            starts_section=True,
            tip="Open a saved session: its graph, end points, variants, view and isochrone",
        ),
        Action(
            "save-session",
            FILE,
            "Save session…",
            p.session_file.ask_to_save,
            keys=("Ctrl+S",),
            needs=S.GRAPH,
            tip="Save where the graph came from, end points, variants, "
            "view and isochrone, to continue or to share",
        ),
        Action(
            "import-runs",
            FILE,
            "Import runs…",
            p.kept_runs.ask_to_import,
            tip="Read a trials.csv, for example from another machine",
        ),
        Action(
            "information",
            FILE,
            "Graph information",
            p.open.show_information,
            keys=("Ctrl+I",),
            icon="information",
            needs=S.GRAPH,
            starts_section=True,
        ),
        Action(
            "export-picture",
            FILE,
            "Export picture…",
            p.export.ask_picture,
            keys=("Ctrl+E",),
            icon="picture",
            needs=S.GRAPH,
            starts_section=True,
        ),
        Action(
            "export-path",
            FILE,
            "Export path…",
            p.answer_export.ask_path,
            icon="path",
            needs=S.ANSWER_PATH,
            tip="Write the path that is shown, along the curves of its roads: "
            "GeoJSON, GPX, CSV or Parquet",
        ),
        Action(
            "export-distances",
            FILE,
            "Export distances…",
            p.answer_export.ask_distances,
            icon="table",
            needs=S.ANSWER_DISTANCES,
            tip="Write the distance of every vertex from the source, "
            "with its coordinates: CSV, Parquet or GeoJSON",
        ),
        Action(
            "export-animation",
            FILE,
            "Export play-back…",
            p.export.ask_animation,
            keys=("Ctrl+Alt+E",),
            icon="play",
            needs=S.TRACE,
            tip="Export the iterations as an animation: GIF or MP4",
        ),
        Action(
            "export-page",
            FILE,
            "Export web page…",
            p.export.ask_page,
            needs=S.RESULTS,
            tip="Write a page that plays up to four runs in any browser, "
            "with questions: one HTML file",
        ),
        Action(
            "export-live-animation",
            FILE,
            "Export live animation…",
            p.live_animation.ask_to_export,
            icon="play",
            needs=S.LIVE,
            tip="Export the recorded drag, or the source moving along the path, "
            "as an animation: GIF or MP4",
        ),
        Action(
            "export-roads-animation",
            FILE,
            "Export animation of changed roads…",
            p.live_animation.ask_to_export_roads,
            needs=S.LIVE,
            tip="Export distances and path before, during and after closing and slowing roads, and "
            "the vertices that are farther away: GIF or MP4",
        ),
        Action(
            "export-chart", FILE, "Export chart…", p.export.ask_chart, icon="chart", needs=S.RESULTS
        ),
        Action(
            "export-csv",
            FILE,
            "Export timing CSVs…",
            p.export.ask_csv,
            keys=("Ctrl+Shift+E",),
            icon="table",
            needs=S.RESULTS,
        ),
        Action(
            "export-network",
            FILE,
            "Export network…",
            p.export.ask_network,
            needs=S.GRAPH,
            tip="Write the graph, with its closed and slowed roads: DIMACS, GraphML, "
            "Matrix Market or an edge list",
        ),
        Action(
            "export-differences",
            FILE,
            "Export differences by changed roads…",
            p.export.ask_differences,
            needs=S.GRAPH,
            tip="Write the distance of every vertex before and after the changes to roads",
        ),
        Action("quit", FILE, "Quit", window.quit, keys=("Ctrl+Q",), starts_section=True),
    ]


def _edit_actions(p: WindowComponents, window: WindowActs) -> list[Action]:
    return [
        Action(
            "undo",
            EDIT,
            "Undo",
            p.undo.undo,
            keys=("Ctrl+Z",),
            icon="undo",
            needs=S.UNDO,
            tip="Undo end points, roads, ticks, parameters, view, moved vertices or deletions",
        ),
        Action(
            "redo",
            EDIT,
            "Redo",
            p.undo.redo,
            keys=("Ctrl+Shift+Z", "Ctrl+Y"),
            icon="redo",
            needs=S.REDO,
        ),
        Action(
            "copy-picture",
            EDIT,
            "Copy picture",
            p.export.copy_picture,
            keys=("Ctrl+Shift+C",),
            icon="copy",
            needs=S.GRAPH,
            starts_section=True,
        ),
        Action(
            "find",
            EDIT,
            "Find…",
            p.help.search,
            keys=("Ctrl+K", "Ctrl+F"),
            icon="find",
            tip="Find a vertex by id or coordinates, a place, street, "
            "variant, parameter, run or command",
        ),
        Action(
            "source",
            EDIT,
            "Set source",
            partial(p.canvas.arm, "source"),
            keys=("S",),
            icon="source",
            needs=S.GRAPH,
            starts_section=True,
            tip="Make the selected vertex, or the next one clicked, the source",
        ),
        Action(
            "target",
            EDIT,
            "Set target",
            partial(p.canvas.arm, "target"),
            keys=("T",),
            icon="target",
            needs=S.GRAPH,
            tip="Make the selected vertex, or the next one clicked, the target",
        ),
        Action(
            "swap",
            EDIT,
            "Swap source and target",
            p.session.swap_endpoints,
            keys=("X",),
            icon="swap",
            needs=S.GRAPH,
        ),
        Action(
            "roads",
            EDIT,
            "Closed and slowed roads",
            window.show_roads,
            keys=("Ctrl+Shift+K",),
            needs=S.GRAPH,
            starts_section=True,
            tip="Show the list of changed roads; close and slow roads by the ids of their ends",
        ),
        Action(
            "roads-clear",
            EDIT,
            "Open all roads again",
            p.roads.clear,
            needs=S.GRAPH,
            tip="Undo all changes to roads",
        ),
        Action(
            "weights-seconds",
            EDIT,
            "Fastest paths: travel time",
            OneOf("weights", "seconds", p.weights.weigh_by, partial(_weights_of, p.session)),
            needs=S.WEIGHTS,
            submenu="Weights of roads",
            tip="Weigh roads by travel time, in seconds",
        ),
        Action(
            "weights-metres",
            EDIT,
            "Shortest paths: length",
            OneOf("weights", "metres", p.weights.weigh_by, partial(_weights_of, p.session)),
            needs=S.WEIGHTS,
            submenu="Weights of roads",
            tip="Weigh roads by length, in metres",
        ),
        Action(
            "clear-results",
            EDIT,
            "Clear results",
            p.session.results.clear,
            icon="clear",
            needs=S.RESULTS | S.IDLE,
            starts_section=True,
        ),
    ]


def _toggle_bar(window: WindowActs, side: BarSide) -> None:
    window.bars.toggle(side)


def _view_actions(p: WindowComponents, window: WindowActs) -> list[Action]:
    return [
        Action(
            "fit",
            VIEW,
            "Fit",
            lambda: p.canvas.view.show_all(),
            keys=("F",),
            icon="fit",
            needs=S.GRAPH,
            tip="Show the whole graph",
        ),
        Action(
            "zoom-in",
            VIEW,
            "Zoom in",
            lambda: p.canvas.view.zoom_in(),
            keys=("Ctrl++", "Ctrl+="),
            icon="zoom-in",
            needs=S.GRAPH,
        ),
        Action(
            "zoom-out",
            VIEW,
            "Zoom out",
            lambda: p.canvas.view.zoom_out(),
            keys=("Ctrl+-",),
            icon="zoom-out",
            needs=S.GRAPH,
        ),
        Action(
            "zoom-path",
            VIEW,
            "Zoom to path",
            p.canvas.zoom_to_path,
            keys=("P",),
            icon="path",
            needs=S.PATH,
        ),
        Action(
            "zoom-frontier",
            VIEW,
            "Zoom to frontier",
            p.canvas.zoom_to_frontier,
            keys=("Shift+F",),
            icon="frontier",
            needs=S.TRACE,
        ),
        Action(
            "split-1",
            VIEW,
            "Single view",
            OneOf("split", 1, p.canvas.split, lambda: p.canvas.split_count),
            keys=("Ctrl+1",),
            needs=S.GRAPH,
            submenu="Split",
            starts_section=True,
            tip="Show only the selected result",
        ),
        *(
            Action(
                f"split-{count}",
                VIEW,
                f"Split in {count}",
                OneOf("split", count, p.canvas.split, lambda: p.canvas.split_count),
                keys=(f"Ctrl+{count}",),
                needs=S.RESULTS,
                submenu="Split",
                tip=f"Show {word} synchronised runs side by side",
            )
            for count, word in ((2, "two"), (3, "three"), (4, "four"))
        ),
        *(
            Action(
                action_id,
                VIEW,
                text,
                OneOf(
                    "layout",
                    arrangement,
                    p.canvas.scenes.arrange,
                    lambda: p.canvas.scenes.arrangement,
                ),
                needs=S.PLACED if arrangement is Arrangement.FILE else S.GRAPH,
                submenu="Layout",
                tip=tip,
            )
            for action_id, arrangement, text, tip in _LAYOUTS
        ),
        *(
            Action(
                f"tree-{depth or 'whole'}",
                VIEW,
                text,
                OneOf("tree", depth, p.canvas.options.show_tree),
                needs=S.PATH,
                submenu="Shortest-path tree",
                tip="Layers > Shortest-path tree hides the tree",
            )
            for depth, text in (
                (5, "Tree to 5 arcs"),
                (20, "Tree to 20 arcs"),
                (100, "Tree to 100 arcs"),
                (500, "Tree to 500 arcs"),
                (None, "Whole tree"),
            )
        ),
        Action(
            "isochrone",
            VIEW,
            "Isochrone",
            Toggle(p.isochrone.show, checked_by=p.isochrone.shown),
            keys=("B",),
            icon="isochrone",
            needs=S.GRAPH,
            starts_section=True,
            tip="Show what can be reached from the source within a time "
            "or length, and how much that is",
        ),
        Action(
            "levels",
            VIEW,
            "Levels of the hierarchy",
            Toggle(
                partial(p.canvas.options.set_layer, Layer.LEVELS),
                checked=lambda: Layer.LEVELS in p.canvas.options.shown,
            ),
            keys=("H",),
            needs=S.GRAPH,
            tip="Colour the roads by the separators that divide the network; "
            "its hierarchy is prepared if necessary",
        ),
        Action(
            "matrix",
            VIEW,
            "Matrix view",
            Toggle(p.canvas.show_matrix, checked_by=p.canvas.matrix_requested),
            keys=("M",),
            icon="matrix",
            needs=S.MATRIX,
            tip="Show the distances between all pairs as a picture",
        ),
        *(
            Action(
                f"chart-{title.lower()}",
                VIEW,
                f"{title} chart",
                partial(p.charts.show_in_window, title),
                icon="chart",
                submenu="Charts in windows",
                tip=f"Show the {title.lower()} chart in a window of its own",
            )
            for title in ("Timing", "Phases", "Frontier", "Device")
        ),
        Action(
            "all-sources-map",
            VIEW,
            "All-sources map",
            Toggle(p.all_sources.show_map, checked_by=p.all_sources.map_shown),
            needs=S.GRAPH,
            tip="Show eccentricity, closeness, reach or flows by colour (Run > All sources)",
        ),
        *(
            Action(
                f"mode-{mode.name.lower()}",
                VIEW,
                mode.name,
                OneOf(
                    "mode", mode, lambda mode: window.bars.set_mode(mode), lambda: window.bars.mode
                ),
                submenu="Modes",
                starts_section=mode is MODES[0],
                tip=mode.tip,
            )
            for mode in MODES
        ),
        *(
            Action(
                f"{side.value}-bar",
                VIEW,
                f"{side.value.capitalize()} bar",
                partial(_toggle_bar, window, side),
                keys=(keys,),
                submenu="Panels",
                tip=f"Close the {side.value} side bar, or open it again",
            )
            for side, keys in ((BarSide.LEFT, "Ctrl+["), (BarSide.RIGHT, "Ctrl+]"))
        ),
        Action(
            "bars",
            VIEW,
            "Both bars",
            lambda: window.bars.toggle_both(),
            keys=("Ctrl+\\",),
            submenu="Panels",
            tip="Close both side bars, which leaves the window to the picture, or open them again",
        ),
        Action(
            "present",
            VIEW,
            "Presentation",
            Toggle(p.presentation.set_on, checked_by=p.presentation.toggled),
            keys=("F11",),
            needs=S.GRAPH,
            starts_section=True,
            tip="Fill the screen with the canvas, a caption and a thin scrubber, "
            "in large type; Esc or F11 leaves",
        ),
        *(
            Action(
                action_id,
                VIEW,
                text,
                partial(p.presentation.scale_type, percent),
                keys=keys,
                submenu="Type size",
                tip=tip,
            )
            for action_id, text, percent, keys, tip in _TYPE_SIZES
        ),
        *(
            Action(
                f"scheme-{scheme.value}",
                VIEW,
                text,
                OneOf("scheme", scheme, p.presentation.set_scheme, lambda: p.settings.scheme),
                starts_section=scheme is Scheme.SYSTEM,
            )
            for scheme, text in (
                (Scheme.SYSTEM, "System colours"),
                (Scheme.LIGHT, "Light"),
                (Scheme.DARK, "Dark"),
            )
        ),
        Action(
            "menu-bar",
            VIEW,
            "Menu bar",
            Toggle(window.set_menu_bar, checked=lambda: p.settings.menu_bar),
            tip="Have the menus in a bar, instead of behind the button of the toolbar",
        ),
        Action(
            "motion",
            VIEW,
            "Animate zoom and colours",
            Toggle(p.presentation.set_motion, checked=lambda: p.settings.motion),
            tip="Let zoom and colours change in motion; never while times are measured, nor if the "
            "desktop has animations off",
        ),
    ]


def _run_actions(p: WindowComponents, window: WindowActs) -> list[Action]:
    return [
        Action(
            "run",
            RUN,
            "Run",
            p.kernels.run,
            keys=("F5", "Ctrl+R"),
            icon="run",
            needs=S.GRAPH | S.CHOICES | S.IDLE,
            tip="Run all ticked variants",
        ),
        Action(
            "cancel",
            RUN,
            "Cancel",
            p.run.cancel,
            keys=("Esc",),
            icon="cancel",
            needs=S.BUSY,
            tip="Stop; finished results are kept",
        ),
        Action(
            "skip",
            RUN,
            "Skip this variant",
            p.run.skip,
            keys=("Shift+Esc",),
            needs=S.SOLVING,
            tip="End only the variant being run, and go on with the next one",
        ),
        Action(
            "plan",
            RUN,
            "Trials, warm-ups and time limit…",
            window.show_plan,
            icon="clock",
            tip="How often each variant is run to measure its time",
        ),
        Action(
            "trace",
            RUN,
            "Trace selected variant",
            p.trace.trace_selected,
            keys=("Ctrl+T",),
            icon="trace",
            needs=S.SELECTION | S.IDLE,
            tip="Run it again and record its iterations for play-back",
        ),
        Action(
            "live",
            RUN,
            "Live",
            Toggle(p.live.set_on, checked_by=p.session.live.toggled),
            keys=("L",),
            icon="live",
            needs=S.GRAPH,
            starts_section=True,
            tip="Solve continuously while the source or target is dragged; not measured",
        ),
        Action(
            "record-drag",
            RUN,
            "Record drag",
            Toggle(p.live_animation.record, checked_by=p.live_animation.recording_changed),
            needs=S.LIVE,
            tip="Record how end points are dragged, for File > Export live animation",
        ),
        Action(
            "pin",
            RUN,
            "Pin live answer",
            p.pin.pin,
            keys=("Shift+L",),
            icon="pin",
            needs=S.LIVE | S.CHOICES | S.IDLE,
            tip="Run all ticked variants on the current end points, "
            "and keep the run under a name that shows them",
        ),
        Action(
            "prepare-hierarchies",
            RUN,
            "Prepare road networks for Live",
            Toggle(p.hierarchy.set_quiet, checked=lambda: p.settings.prepares_hierarchies),
            tip="After opening a road network, prepare its hierarchy in the "
            "background, so that Live is fast",
        ),
        Action(
            "race",
            RUN,
            "Race",
            Toggle(p.race.set_on, checked_by=p.race.toggled),
            keys=("R",),
            icon="flag",
            needs=S.GRAPH,
            tip="Play two to four runs side by side in real time, with clocks and bars; "
            "runs the ticked variants if necessary",
        ),
        Action(
            "data-race",
            RUN,
            "Show the data race…",
            p.data_race.show,
            needs=S.RACY | S.IDLE,
            tip="Run the selected racy variant many times and count wrong results",
        ),
        Action(
            "change-kernel",
            RUN,
            "Change this kernel",
            p.kernels.change,
            needs=S.KERNEL,
            tip="Edit the selected variant's kernel beside the picture; "
            "it becomes a variant under Mine",
        ),
        Action(
            "deleted-kernels",
            RUN,
            "Restore a deleted kernel…",
            p.kernels.ask_to_restore,
            tip=f"Kernels that were deleted in the last {DELETED_KEPT.days} days",
        ),
        Action(
            "new-variant",
            RUN,
            "New variant…",
            p.kernels.new_variant,
            tip="Write a variant of your own from a template into your folder of variants",
        ),
        Action(
            "exercises",
            RUN,
            "Exercises…",
            p.exercises.show,
            tip="Broken and slow kernels to be mended, each with a task, a hint and a check",
        ),
        Action(
            "all-sources",
            RUN,
            "All sources",
            p.all_sources.ask,
            needs=S.GRAPH,
            tip="Flows, betweenness, closeness, eccentricity and reach, "
            "as a map and a histogram; radius and diameter",
        ),
        Action(
            "experiments",
            RUN,
            "Experiments",
            window.show_experiments,
            icon="experiment",
            tip="Repeat the figures and tables of the papers, or a comparison of your own, and "
            "report which claims hold here",
        ),
        Action(
            "hosts",
            RUN,
            "Hosts…",
            lambda: p.hosts.show(),
            icon="device",
            tip="Connect to a cluster and show its workers: cores, GPUs, memory, "
            "throughput and last log line",
        ),
    ]


def _play_actions(p: WindowComponents) -> list[Action]:
    return [
        Action(
            "lesson-next",
            RUN,
            "Next step of the lesson",
            p.lesson_panel.next,
            keys=("N",),
            needs=S.TRACE,
            starts_section=True,
            tip="Go to the next arc that the iteration relaxes, "
            "after the last to the next iteration",
        ),
        Action(
            "lesson-back",
            RUN,
            "Previous step of the lesson",
            p.lesson_panel.previous,
            keys=("Shift+N",),
            needs=S.TRACE,
            tip="Go to the arc relaxed before",
        ),
        Action(
            "questions",
            RUN,
            "Questions…",
            p.lesson_questions.ask,
            needs=S.TRACE,
            tip="Ask about the traced run: what is next, what is relaxed, what a distance becomes",
        ),
        Action(
            "play",
            RUN,
            "Play or pause",
            p.playback.toggle,
            keys=("Space",),
            icon="play",
            needs=S.TRACE,
            starts_section=True,
        ),
        *(
            Action(action_id, RUN, text, act, keys=(keys,), icon=icon, needs=S.TRACE)
            for action_id, text, act, keys, icon in (
                ("step", "Step forward", partial(p.playback.step, 1), "Right", "step-forward"),
                ("step-back", "Step back", partial(p.playback.step, -1), "Left", "step-back"),
                ("step-10", "Step 10 forward", partial(p.playback.step, 10), "Shift+Right", ""),
                ("step-back-10", "Step 10 back", partial(p.playback.step, -10), "Shift+Left", ""),
                ("first", "First step", p.playback.to_start, "Home", "first"),
                ("last", "Last step", p.playback.to_end, "End", "last"),
            )
        ),
        *(
            Action(
                f"fit-{seconds}",
                RUN,
                f"Play in {seconds} s",
                partial(p.playback.fit, float(seconds)),
                submenu="Play-back lasts",
                tip=f"Gather iterations into pictures so that the whole run lasts {seconds} s",
            )
            for seconds in (5, 15, 30)
        ),
        *(
            Action(
                action_id,
                RUN,
                text,
                OneOf("pace", pace, p.playback.set_pace, lambda: p.playback.pace),
                submenu="Lock step",
                tip=tip,
            )
            for action_id, text, pace, tip in _PACES
        ),
        Action("slower", RUN, "Play slower", p.playback.slower, keys=("[",), needs=S.TRACE),
        Action("faster", RUN, "Play faster", p.playback.faster, keys=("]",), needs=S.TRACE),
        Action(
            "runs",
            RUN,
            "Runs",
            p.kept_runs.show_panel,
            keys=("Ctrl+Shift+R",),
            icon="history",
            starts_section=True,
            tip="Show the list of all kept runs: reopen, compare, name, export and delete them",
        ),
    ]


def _help_actions(p: WindowComponents) -> list[Action]:
    return [
        Action(
            "shortcuts",
            HELP,
            "Keyboard shortcuts",
            p.help.show_shortcuts,
            keys=("F1",),
            icon="keyboard",
        ),
        *(
            Action(action_id, HELP, text, partial(p.help.show_page, page), icon=icon, tip=tip)
            for action_id, page, text, icon, tip in _HELP_PAGES
        ),
        Action(
            "devices",
            HELP,
            "Devices",
            p.help.show_devices,
            icon="device",
            tip="List the devices for kernels and what is missing",
        ),
        Action(
            "tour",
            HELP,
            "Guided tour",
            p.tour.start,
            icon="play",
            tip="Three minutes: what each part of the window does",
        ),
        Action(
            "glossary",
            HELP,
            "Glossary",
            partial(p.help.show_page, "glossary"),
            icon="information",
            tip="Explains frontier, relax, settle, warp and other terms",
        ),
        Action(
            "notices",
            HELP,
            "Third-party software",
            partial(p.help.show_page, "notices"),
            icon="information",
            starts_section=True,
            tip="The packages that Tautline uses, their versions and licences",
        ),
        Action("about", HELP, "About Tautline", p.help.show_about, icon="information"),
        Action(
            "log",
            HELP,
            "Log",
            p.help.show_log,
            icon="information",
            tip="Decisions and failures of this window and earlier ones",
        ),
    ]


def _weights_of(session: Session) -> str:
    """Name of the weights of the open network; "" if it has no others."""
    graph = session.whole_graph
    columns = () if graph is None or graph.roads is None else graph.roads.weights
    return next(
        (
            column.name
            for column in columns
            if graph is not None and column.unit == graph.weight_unit
        ),
        "",
    )
