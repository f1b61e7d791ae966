"""Table of all commands; menus, toolbar, shortcut list and command palette are built from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto

from gui.model.playback import Pace
from gui.model.samples import SAMPLES


class State(Flag):
    """Conditions of the window; an action is enabled while all conditions it needs hold."""

    ALWAYS = 0
    GRAPH = auto()
    CHOICES = auto()
    RESULTS = auto()
    SELECTION = auto()
    PATH = auto()
    TRACE = auto()
    PLACED = auto()
    MATRIX = auto()
    RACY = auto()
    BUSY = auto()
    IDLE = auto()
    SOLVING = auto()
    LIVE = auto()
    UNDO = auto()
    REDO = auto()
    WEIGHTS = auto()
    ANSWER_PATH = auto()
    ANSWER_DISTANCES = auto()


# What to do where a condition does not hold; the first that is missing is told.
MISSING = {
    State.GRAPH: "Open or generate a graph first",
    State.CHOICES: "Tick at least one variant first",
    State.RESULTS: "Run a variant first",
    State.SELECTION: "Select a result first",
    State.PATH: "Select a result with a path first",
    State.TRACE: "Select a result and trace it first",
    State.PLACED: "The file of this graph has no coordinates",
    State.MATRIX: "Select a result for all pairs first",
    State.RACY: "Select a variant with the tag racy that can run here",
    State.BUSY: "Nothing is running",
    State.SOLVING: "No run is in progress",
    State.IDLE: "Wait until the run has ended, or cancel it",
    State.LIVE: "Switch on Live first",
    State.UNDO: "There is nothing to undo",
    State.REDO: "There is nothing to redo",
    State.WEIGHTS: "Open a road network with lengths and travel times first",
    State.ANSWER_PATH: "Select a result with a path first",
    State.ANSWER_DISTANCES: "Select a result with the distances of all vertices first",
}


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes
    ----------
    id : str
    menu : str
        Title of its menu.
    text : str
    handler : str
        "controller.method", with the window's names of controllers.
    shortcuts : tuple of str
        In Qt's portable format; the first is shown.
    icon : str
        Name of an SVG in ``resources/icons``, or "".
    needs : State
    arguments : tuple
        Passed to the handler.
    checkable : bool
        Whether the action has a check state; the handler gets the new state after the arguments.
    group : str
        Checkable actions of the same group are mutually exclusive.
    tip : str
        Explanation, if the text does not suffice.
    starts_section : bool
        Whether a separator precedes it in its menu.
    submenu : str
        Title of its submenu in ``menu``, or "".
    """

    id: str
    menu: str
    text: str
    handler: str
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    needs: State = State.ALWAYS
    arguments: tuple[object, ...] = ()
    checkable: bool = False
    group: str = ""
    tip: str = ""
    starts_section: bool = False
    submenu: str = ""

    def enabled(self, state: State) -> bool:
        return (self.needs & state) == self.needs

    def why_disabled(self, state: State) -> str:
        """What is missing to enable it, in words; "" if it is enabled."""
        return next((words for flag, words in MISSING.items() if flag in self.needs and flag not in state), "")


A = ActionSpec
S = State

FILE, EDIT, VIEW, RUN, HELP = "File", "Edit", "View", "Run", "Help"
MENUS = (FILE, EDIT, VIEW, RUN, HELP)

ACTIONS: tuple[ActionSpec, ...] = (
    A("open", FILE, "Open…", "open.ask", ("Ctrl+O",), "open",
      tip="Open a graph file: OpenStreetMap, DIMACS, SNAP and others"),
    A("open-options", FILE, "Open with options…", "open.ask_with_options", ("Ctrl+Shift+O",),
      tip="Open a file with chosen coordinates, direction, weights and means of travel"),
    A("generate", FILE, "Generate…", "open.ask_to_generate", ("Ctrl+G",), "generate",
      tip="Generate a graph of a chosen family"),
    *(A(f"sample-{sample.id}", FILE, sample.title, "open.open_sample", (), "", S.ALWAYS, (sample.id,),
        submenu="Samples", tip=f"Open a sample: {sample.hint}")
      for sample in SAMPLES),
    A("datasets", FILE, "Datasets…", "datasets.show", (), "download", S.ALWAYS,
      tip="Download and open published graphs: road networks of the DIMACS challenge, networks of SNAP"),
    A("open-session", FILE, "Open session…", "session_file.ask_to_open", (), "open",
      tip="Open a saved session: its graph, end points, variants, view and reach", starts_section=True),
    A("save-session", FILE, "Save session…", "session_file.ask_to_save", ("Ctrl+S",), "", S.GRAPH,
      tip="Save where the graph came from, end points, variants, view and reach, to continue or to share"),
    A("import-runs", FILE, "Import runs…", "kept_runs.ask_to_import", (), "", S.ALWAYS,
      tip="Read a trials.csv, for example of another machine"),
    A("information", FILE, "Graph information", "open.show_information", ("Ctrl+I",), "information", S.GRAPH,
      starts_section=True),
    A("export-picture", FILE, "Export picture…", "export.ask_picture", ("Ctrl+E",), "picture", S.GRAPH,
      starts_section=True),
    A("export-path", FILE, "Export path…", "answer_export.ask_path", (), "path", S.ANSWER_PATH,
      tip="Write the path that is shown, along the curves of its roads: GeoJSON, GPX, CSV or Parquet"),
    A("export-distances", FILE, "Export distances…", "answer_export.ask_distances", (), "table", S.ANSWER_DISTANCES,
      tip="Write the distance of every vertex from the source, with its place: CSV, Parquet or GeoJSON"),
    A("export-film", FILE, "Export play-back…", "export.ask_film", ("Ctrl+Alt+E",), "play", S.TRACE,
      tip="Export the iterations as a film: GIF or MP4"),
    A("export-live-film", FILE, "Export live film…", "live_film.ask_to_export", (), "play", S.LIVE,
      tip="Export the recorded drag, or the source moving along the path, as a film: GIF or MP4"),
    A("export-roads-film", FILE, "Export film of changed roads…", "live_film.ask_to_export_roads", (), "", S.LIVE,
      tip="Export field and path before, during and after closing and slowing roads, and who is farther: GIF or MP4"),
    A("export-chart", FILE, "Export chart…", "export.ask_chart", (), "chart", S.RESULTS),
    A("export-csv", FILE, "Export timing CSVs…", "export.ask_csv", ("Ctrl+Shift+E",), "table", S.RESULTS),
    A("export-network", FILE, "Export network…", "export.ask_network", (), "", S.GRAPH,
      tip="Write the graph, with its closed and slowed roads: DIMACS, GraphML, Matrix Market or an edge list"),
    A("export-differences", FILE, "Export differences by changed roads…", "export.ask_differences", (), "", S.GRAPH,
      tip="Write the distance of every vertex before and after the changes to roads"),
    A("quit", FILE, "Quit", "window.close", ("Ctrl+Q",), starts_section=True),

    A("undo", EDIT, "Undo", "undo.undo", ("Ctrl+Z",), "undo", S.UNDO,
      tip="Undo end points, roads, ticks, parameters, view or moved vertices"),
    A("redo", EDIT, "Redo", "undo.redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo", S.REDO),
    A("copy-picture", EDIT, "Copy picture", "export.copy_picture", ("Ctrl+Shift+C",), "copy", S.GRAPH,
      starts_section=True),
    A("find", EDIT, "Find vertex…", "window.find_vertex", ("Ctrl+F",), "find", S.GRAPH),
    A("source", EDIT, "Set source", "canvas.arm", ("S",), "source", S.GRAPH, ("source",),
      tip="Make the selected vertex, or the next one clicked, the source", starts_section=True),
    A("target", EDIT, "Set target", "canvas.arm", ("T",), "target", S.GRAPH, ("target",),
      tip="Make the selected vertex, or the next one clicked, the target"),
    A("swap", EDIT, "Swap source and target", "session.swap_endpoints", ("X",), "swap", S.GRAPH),
    A("roads", EDIT, "Closed and slowed roads", "window.show_roads", ("Ctrl+Shift+K",), "", S.GRAPH,
      tip="Show the list of changed roads; close and slow roads by the ids of their ends", starts_section=True),
    A("roads-clear", EDIT, "Open all roads again", "roads.clear", (), "", S.GRAPH, tip="Drop all changes to roads"),
    A("weights-seconds", EDIT, "Fastest paths: travel time", "weights.weigh_by", (), "", S.WEIGHTS, ("seconds",),
      checkable=True, group="weights", submenu="Weights of roads", tip="Weigh roads by travel time, in seconds"),
    A("weights-metres", EDIT, "Shortest paths: length", "weights.weigh_by", (), "", S.WEIGHTS, ("metres",),
      checkable=True, group="weights", submenu="Weights of roads", tip="Weigh roads by length, in metres"),
    A("clear-results", EDIT, "Clear results", "session.clear_results", (), "clear", S.RESULTS | S.IDLE,
      starts_section=True),

    A("fit", VIEW, "Fit", "canvas.fit", ("F",), "fit", S.GRAPH, tip="Show the whole graph"),
    A("zoom-in", VIEW, "Zoom in", "canvas.zoom_in", ("Ctrl++", "Ctrl+="), "zoom-in", S.GRAPH),
    A("zoom-out", VIEW, "Zoom out", "canvas.zoom_out", ("Ctrl+-",), "zoom-out", S.GRAPH),
    A("zoom-path", VIEW, "Zoom to path", "canvas.zoom_to_path", ("P",), "path", S.PATH),
    A("zoom-frontier", VIEW, "Zoom to frontier", "canvas.zoom_to_frontier", ("Shift+F",), "frontier", S.TRACE),
    A("split-1", VIEW, "Single view", "canvas.split", ("Ctrl+1",), "", S.GRAPH, (1,), checkable=True, group="split",
      submenu="Split", starts_section=True, tip="Show only the selected result"),
    A("split-2", VIEW, "Split in 2", "canvas.split", ("Ctrl+2",), "", S.RESULTS, (2,), checkable=True, group="split",
      submenu="Split", tip="Show two synchronised runs side by side"),
    A("split-3", VIEW, "Split in 3", "canvas.split", ("Ctrl+3",), "", S.RESULTS, (3,), checkable=True, group="split",
      submenu="Split", tip="Show three synchronised runs side by side"),
    A("split-4", VIEW, "Split in 4", "canvas.split", ("Ctrl+4",), "", S.RESULTS, (4,), checkable=True, group="split",
      submenu="Split", tip="Show four synchronised runs side by side"),
    A("layout-file", VIEW, "Layout as in the file", "canvas.set_layout", (), "", S.PLACED, ("file",), checkable=True,
      group="layout", submenu="Layout", tip="Use the file's coordinates"),
    A("layout-spring", VIEW, "Spring layout", "canvas.set_layout", (), "", S.GRAPH, ("spring",), checkable=True,
      group="layout", submenu="Layout", tip="Place vertices so that distances match numbers of arcs"),
    A("layout-layered", VIEW, "Layered layout", "canvas.set_layout", (), "", S.GRAPH, ("layered",), checkable=True,
      group="layout", submenu="Layout", tip="Place vertices from left to right by distance from the source"),
    A("layout-rings", VIEW, "Rings", "canvas.set_layout", (), "", S.GRAPH, ("rings",), checkable=True,
      group="layout", submenu="Layout", tip="Place vertices around the source, as far from it as their distance"),
    A("layout-circular", VIEW, "Circular layout", "canvas.set_layout", (), "", S.GRAPH, ("circular",), checkable=True,
      group="layout", submenu="Layout", tip="Place vertices on a circle in the order of ids"),
    *(A(f"tree-{depth or 'whole'}", VIEW, words, "canvas.set_tree_depth", (), "", S.PATH, (depth,), checkable=True,
        group="tree", submenu="Shortest-path tree", tip="Layers > Shortest-path tree hides the tree")
      for depth, words in ((5, "Tree to 5 arcs"), (20, "Tree to 20 arcs"), (100, "Tree to 100 arcs"),
                           (500, "Tree to 500 arcs"), (None, "Whole tree"))),
    A("reach", VIEW, "Reach", "reach.show", ("B",), "reach", S.GRAPH, checkable=True,
      tip="Light what lies within a budget of the source, and say how much that is", starts_section=True),
    A("levels", VIEW, "Levels of the hierarchy", "canvas.show_levels", ("H",), "", S.GRAPH, checkable=True,
      tip="Colour the roads by the separators that divide the network; its hierarchy is prepared if no run has"),
    A("matrix", VIEW, "Matrix view", "canvas.show_matrix", ("M",), "matrix", S.MATRIX, checkable=True,
      tip="Show the distances between all pairs as a picture"),
    *(A(f"chart-{title.lower()}", VIEW, f"{title} chart", "charts.show_in_window", (), "chart", S.ALWAYS, (title,),
        submenu="Charts in windows", tip=f"Show the {title.lower()} chart in a window of its own")
      for title in ("Timing", "Phases", "Frontier", "Device")),
    A("all-sources-map", VIEW, "All-sources map", "all_sources.show_map", (), "", S.GRAPH, checkable=True,
      tip="Colour the graph by eccentricity, closeness or reach of every vertex (Run > All sources)"),
    A("present", VIEW, "Presentation", "presentation.set_on", ("F11",), "", S.GRAPH, checkable=True,
      starts_section=True,
      tip="The canvas edge to edge, with a caption and a thin scrubber, in large type; Esc or F11 leaves"),
    A("type-larger", VIEW, "Larger type", "window.scale_type", ("Ctrl+Shift++", "Ctrl+Shift+="), "", S.ALWAYS, (10,),
      submenu="Type size", tip="All type of the window larger by a tenth, up to 200 %"),
    A("type-smaller", VIEW, "Smaller type", "window.scale_type", ("Ctrl+Shift+-", "Ctrl+Shift+_"), "", S.ALWAYS, (-10,),
      submenu="Type size", tip="All type of the window smaller by a tenth, down to 80 %"),
    A("type-normal", VIEW, "Type of 100 %", "window.scale_type", ("Ctrl+Shift+0",), "", S.ALWAYS, (0,),
      submenu="Type size", tip="Type of the desktop's size"),
    A("scheme-system", VIEW, "System colours", "window.set_scheme", (), "", arguments=("system",),
      checkable=True, group="scheme", starts_section=True),
    A("scheme-light", VIEW, "Light", "window.set_scheme", (), "", arguments=("light",), checkable=True, group="scheme"),
    A("scheme-dark", VIEW, "Dark", "window.set_scheme", (), "", arguments=("dark",), checkable=True, group="scheme"),

    A("run", RUN, "Run", "run.run", ("F5", "Ctrl+R"), "run", S.GRAPH | S.CHOICES | S.IDLE,
      tip="Run all ticked variants"),
    A("cancel", RUN, "Cancel", "run.cancel", ("Esc",), "cancel", S.BUSY, tip="Stop; finished results are kept"),
    A("skip", RUN, "Skip this variant", "run.skip", ("Shift+Esc",), "", S.SOLVING,
      tip="End only the variant being run, and go on with the next one"),
    A("plan", RUN, "Trials, warm-ups and time limit…", "window.show_plan", (), "clock",
      tip="How often each variant is run to measure its time"),
    A("trace", RUN, "Trace selected variant", "trace.trace_selected", ("Ctrl+T",), "trace", S.SELECTION | S.IDLE,
      tip="Run it once more and record its iterations for play-back"),
    A("live", RUN, "Live", "live.set_on", ("L",), "live", S.GRAPH, checkable=True, starts_section=True,
      tip="Solve anew while source or target are dragged; not measured"),
    A("record-drag", RUN, "Record drag", "live_film.record", (), "", S.LIVE, checkable=True,
      tip="Record how end points are dragged, for File > Export live film"),
    A("pin", RUN, "Pin live answer", "pin.pin", ("Shift+L",), "pin", S.LIVE | S.CHOICES | S.IDLE,
      tip="Run all ticked variants on the present end points, and keep the run under a name that says so"),
    A("prepare-hierarchies", RUN, "Prepare road networks for Live", "hierarchy.set_quiet", (), "", checkable=True,
      tip="After opening a road network, prepare its hierarchy in the background, so that Live is fast"),
    A("race", RUN, "Race", "race.set_on", ("R",), "flag", S.GRAPH, checkable=True,
      tip="Play two to four runs side by side by real time, with clocks and bars; runs the ticked variants if need be"),
    A("data-race", RUN, "Show the data race…", "data_race.show", (), "", S.RACY | S.IDLE,
      tip="Run the selected racy variant many times and count wrong results"),
    A("all-sources", RUN, "All sources…", "all_sources.ask", (), "", S.GRAPH,
      tip="Eccentricity, closeness and reach of every vertex, as a map and a histogram; radius and diameter"),
    A("experiments", RUN, "Experiments…", "window.show_experiments", (), "chart", S.ALWAYS,
      tip="Repeat the figures and tables of the papers, or an own comparison, and report which claims hold here"),
    A("hosts", RUN, "Hosts…", "window.show_hosts", (), "device", S.ALWAYS,
      tip="Connect to a cluster, and see its workers: cores, GPUs, memory, throughput and last words"),
    A("lesson-next", RUN, "Next step of the lesson", "lesson.next", ("N",), "", S.TRACE, starts_section=True,
      tip="Go to the next arc that the iteration relaxes, after the last to the next iteration"),
    A("lesson-back", RUN, "Previous step of the lesson", "lesson.previous", ("Shift+N",), "", S.TRACE,
      tip="Go to the arc relaxed before"),
    A("play", RUN, "Play or pause", "playback.toggle", ("Space",), "play", S.TRACE, starts_section=True),
    A("step", RUN, "Step forward", "playback.step", ("Right",), "step-forward", S.TRACE, (1,)),
    A("step-back", RUN, "Step back", "playback.step", ("Left",), "step-back", S.TRACE, (-1,)),
    A("step-10", RUN, "Step 10 forward", "playback.step", ("Shift+Right",), "", S.TRACE, (10,)),
    A("step-back-10", RUN, "Step 10 back", "playback.step", ("Shift+Left",), "", S.TRACE, (-10,)),
    A("first", RUN, "First iteration", "playback.to_start", ("Home",), "first", S.TRACE),
    A("last", RUN, "Last iteration", "playback.to_end", ("End",), "last", S.TRACE),
    A("fit-5", RUN, "Play in 5 s", "playback.fit", (), "", S.ALWAYS, (5.0,), submenu="Play-back lasts",
      tip="Gather iterations into pictures so that the whole run lasts 5 s"),
    A("fit-15", RUN, "Play in 15 s", "playback.fit", (), "", S.ALWAYS, (15.0,), submenu="Play-back lasts",
      tip="Gather iterations into pictures so that the whole run lasts 15 s"),
    A("fit-30", RUN, "Play in 30 s", "playback.fit", (), "", S.ALWAYS, (30.0,), submenu="Play-back lasts",
      tip="Gather iterations into pictures so that the whole run lasts 30 s"),
    A("pace-iterations", RUN, "Equal iterations", "playback.set_pace", (), "", S.ALWAYS, (Pace.ITERATIONS,),
      checkable=True, group="pace", submenu="Lock step",
      tip="Show each iteration equally long; runs side by side are at the same iteration"),
    A("pace-time", RUN, "Equal time", "playback.set_pace", (), "", S.ALWAYS, (Pace.TIME,),
      checkable=True, group="pace", submenu="Lock step",
      tip="Show each iteration in proportion to its time; runs side by side have taken the same time"),
    A("pace-progress", RUN, "Equal progress", "playback.set_pace", (), "", S.ALWAYS, (Pace.PROGRESS,),
      checkable=True, group="pace", submenu="Lock step",
      tip="Runs side by side have done the same share of their iterations, and end together"),
    A("slower", RUN, "Play slower", "playback.slower", ("[",), "", S.TRACE),
    A("faster", RUN, "Play faster", "playback.faster", ("]",), "", S.TRACE),

    A("runs", RUN, "Runs", "kept_runs.show_panel", ("Ctrl+Shift+R",), "clock", S.ALWAYS, starts_section=True,
      tip="Show the list of all kept runs: reopen, compare, name, export and delete them"),

    A("palette", HELP, "Command palette…", "window.show_palette", ("Ctrl+K",), "palette",
      tip="Search commands and variants by name"),
    A("shortcuts", HELP, "Keyboard shortcuts", "window.show_shortcuts", ("F1",), "keyboard"),
    A("measuring", HELP, "How times are measured", "window.show_help", (), "clock",
      arguments=("measuring",), tip="Method and limits of the times, and what the marks beside them mean"),
    A("levels-help", HELP, "Levels of a hierarchy", "window.show_help", (), "information",
      arguments=("levels",), tip="What the picture of levels shows, and the climbs and sweeps in the play-back"),
    A("presenting-help", HELP, "Presenting and racing", "window.show_help", (), "information",
      arguments=("presenting",), tip="Presentation, race, lock step, duration of the play-back and type size"),
    A("openstreetmap-help", HELP, "OpenStreetMap extracts", "window.show_help", (), "information",
      arguments=("openstreetmap",), tip="Who travels, what the weights are, and what is made of the tags"),
    A("formats-help", HELP, "Formats of graphs and answers", "window.show_help", (), "information",
      arguments=("formats",),
      tip="What opens, how columns of a table are chosen, and what paths and distances are written as"),
    A("session-format", HELP, "Session files", "window.show_help", (), "information",
      arguments=("session",), tip="What a saved session holds, field by field"),
    A("devices", HELP, "Devices", "device_list.show", (), "device",
      tip="List the devices for kernels and what is missing"),
    A("tour", HELP, "Guided tour", "tour.start", (), "play", tip="Three minutes: what each part of the window does"),
    A("glossary", HELP, "Glossary", "window.show_help", (), "information",
      arguments=("glossary",), tip="What frontier, relax, settle, warp and other words mean"),
    A("notices", HELP, "Third-party software", "window.show_help", (), "information", starts_section=True,
      arguments=("notices",), tip="The packages that Tautline uses, their versions and licences"),
    A("about", HELP, "About Tautline", "window.show_about", (), "information"),
)  # fmt: skip

# What the mouse does on the graph canvas; the list of shortcuts shows it.
GESTURES = (
    ("Select a vertex", "Click"),
    ("Deselect", "Click beside it, or Esc"),
    ("Set target", "Shift+click"),
    ("Set source or target", "S or T, then click"),
    ("Selected vertex as source or target", "S or T"),
    ("Move source or target", "Drag its marker"),
    ("Take a dragged marker back", "Esc"),
    ("Add or remove a source in live mode", "Right click"),
    ("Menu of a vertex", "Right click"),
    ("Menu of a road", "Right click"),
    ("Lasso around roads", "Shift+drag"),
    ("Pan", "Drag"),
    ("Zoom", "Wheel or pinch"),
    ("Change the budget of the reach", "Shift+wheel"),
    ("Show the whole graph", "Double click beside it"),
    ("Move a vertex of a small graph", "Drag it"),
    ("… that is source or target", "Alt+drag"),
)
