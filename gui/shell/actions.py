"""Every command of the window, as data: menus, toolbar, shortcut sheet and palette are all made from this table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto

from gui.model.playback import Pace


class State(Flag):
    """What is true of the window; an action is enabled while all that it needs is."""

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


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes
    ----------
    id : str
    menu : str
        Title of the menu it stands in.
    text : str
    handler : str
        "controller.method"; the window names the controllers.
    shortcuts : tuple of str
        In Qt's portable spelling; the first is shown.
    icon : str
        Name of an SVG in ``resources/icons``, or "".
    needs : State
    arguments : tuple
        Given to the handler.
    checkable : bool
        The handler is given the new check state after the arguments.
    group : str
        Checkable actions of one group exclude each other.
    tip : str
        What it does, where the text does not say it all.
    starts_section : bool
        A separator stands above it in its menu.
    submenu : str
        Title of the submenu of ``menu`` that it stands in, or "".
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


A = ActionSpec
S = State

FILE, EDIT, VIEW, RUN, HELP = "File", "Edit", "View", "Run", "Help"
MENUS = (FILE, EDIT, VIEW, RUN, HELP)

ACTIONS: tuple[ActionSpec, ...] = (
    A("open", FILE, "Open…", "opening.ask", ("Ctrl+O",), "open", tip="Open a DIMACS, SNAP or other graph file"),
    A("open-options", FILE, "Open with options…", "opening.ask_with_options", ("Ctrl+Shift+O",),
      tip="Choose coordinates, direction and weights"),
    A("generate", FILE, "Generate…", "opening.ask_to_generate", ("Ctrl+G",), "generate",
      tip="Make a graph of a family"),
    A("information", FILE, "Graph information", "opening.show_information", ("Ctrl+I",), "information", S.GRAPH,
      starts_section=True),
    A("export-picture", FILE, "Export picture…", "exporting.ask_picture", ("Ctrl+E",), "picture", S.GRAPH,
      starts_section=True),
    A("export-film", FILE, "Export play-back…", "exporting.ask_film", ("Ctrl+Alt+E",), "play", S.TRACE,
      tip="The iterations as a film: GIF or MP4"),
    A("export-chart", FILE, "Export chart…", "exporting.ask_chart", (), "chart", S.RESULTS),
    A("export-csv", FILE, "Export timing CSVs…", "exporting.ask_csv", ("Ctrl+Shift+E",), "table", S.RESULTS),
    A("quit", FILE, "Quit", "window.close", ("Ctrl+Q",), starts_section=True),

    A("copy-picture", EDIT, "Copy picture", "exporting.copy_picture", ("Ctrl+Shift+C",), "copy", S.GRAPH),
    A("find", EDIT, "Find vertex…", "window.find_vertex", ("Ctrl+F",), "find", S.GRAPH),
    A("source", EDIT, "Set source by click", "canvas.arm", ("S",), "source", S.GRAPH, ("source",),
      tip="Then click a vertex", starts_section=True),
    A("target", EDIT, "Set target by click", "canvas.arm", ("T",), "target", S.GRAPH, ("target",),
      tip="Then click a vertex"),
    A("swap", EDIT, "Swap source and target", "session.swap_endpoints", ("X",), "swap", S.GRAPH),
    A("clear-results", EDIT, "Clear results", "session.clear_results", (), "clear", S.RESULTS | S.IDLE,
      starts_section=True),

    A("fit", VIEW, "Fit", "canvas.fit", ("F",), "fit", S.GRAPH, tip="Show the whole graph"),
    A("zoom-in", VIEW, "Zoom in", "canvas.zoom_in", ("Ctrl++", "Ctrl+="), "zoom-in", S.GRAPH),
    A("zoom-out", VIEW, "Zoom out", "canvas.zoom_out", ("Ctrl+-",), "zoom-out", S.GRAPH),
    A("zoom-path", VIEW, "Zoom to path", "canvas.zoom_to_path", ("P",), "path", S.PATH),
    A("zoom-frontier", VIEW, "Zoom to frontier", "canvas.zoom_to_frontier", ("Shift+F",), "frontier", S.TRACE),
    A("split-1", VIEW, "One canvas", "canvas.split", (), "", S.GRAPH, (1,), checkable=True, group="split",
      submenu="Split", starts_section=True, tip="Show the selected result alone"),
    A("split-2", VIEW, "Split in 2", "canvas.split", ("Ctrl+2",), "", S.RESULTS, (2,), checkable=True, group="split",
      submenu="Split", tip="Two runs side by side, locked in step"),
    A("split-3", VIEW, "Split in 3", "canvas.split", ("Ctrl+3",), "", S.RESULTS, (3,), checkable=True, group="split",
      submenu="Split", tip="Three runs side by side, locked in step"),
    A("split-4", VIEW, "Split in 4", "canvas.split", ("Ctrl+4",), "", S.RESULTS, (4,), checkable=True, group="split",
      submenu="Split", tip="Four runs side by side, locked in step"),
    A("layout-file", VIEW, "Layout as in the file", "canvas.set_layout", (), "", S.PLACED, ("file",), checkable=True,
      group="layout", submenu="Layout", tip="The file's own coordinates"),
    A("layout-spring", VIEW, "Spring layout", "canvas.set_layout", (), "", S.GRAPH, ("spring",), checkable=True,
      group="layout", submenu="Layout", tip="Distances on the page like distances in arcs"),
    A("layout-layered", VIEW, "Layered layout", "canvas.set_layout", (), "", S.GRAPH, ("layered",), checkable=True,
      group="layout", submenu="Layout", tip="From left to right by distance from the source"),
    A("layout-circular", VIEW, "Circular layout", "canvas.set_layout", (), "", S.GRAPH, ("circular",), checkable=True,
      group="layout", submenu="Layout", tip="On a circle, in the order of ids"),
    *(A(f"tree-{depth or 'whole'}", VIEW, words, "canvas.set_tree_depth", (), "", S.PATH, (depth,), checkable=True,
        group="tree", submenu="Shortest-path tree", tip="Layers > Shortest-path tree hides it again")
      for depth, words in ((5, "Tree to 5 arcs"), (20, "Tree to 20 arcs"), (100, "Tree to 100 arcs"),
                           (500, "Tree to 500 arcs"), (None, "Whole tree"))),
    A("matrix", VIEW, "Matrix view", "canvas.show_matrix", ("M",), "matrix", S.MATRIX, checkable=True,
      tip="Distances between all pairs, as a picture", starts_section=True),
    A("scheme-system", VIEW, "Colours of the system", "window.set_scheme", (), "", arguments=("system",),
      checkable=True, group="scheme", starts_section=True),
    A("scheme-light", VIEW, "Light", "window.set_scheme", (), "", arguments=("light",), checkable=True, group="scheme"),
    A("scheme-dark", VIEW, "Dark", "window.set_scheme", (), "", arguments=("dark",), checkable=True, group="scheme"),

    A("run", RUN, "Run", "running.run", ("F5", "Ctrl+R"), "run", S.GRAPH | S.CHOICES | S.IDLE,
      tip="Solve with every ticked variant"),
    A("cancel", RUN, "Cancel", "running.cancel", ("Esc",), "cancel", S.BUSY, tip="Stop; what is finished is kept"),
    A("trace", RUN, "Trace selected variant", "running.trace_selected", ("Ctrl+T",), "trace", S.SELECTION | S.IDLE,
      tip="Run it once more and record every iteration for the play bar"),
    A("race", RUN, "Show the race…", "racing.show", (), "", S.RACY | S.IDLE,
      tip="Run the selected racy variant many times, and count how often it is wrong"),
    A("play", RUN, "Play or pause", "playback.toggle", ("Space",), "play", S.TRACE, starts_section=True),
    A("step", RUN, "Step forward", "playback.step", ("Right",), "step-forward", S.TRACE, (1,)),
    A("step-back", RUN, "Step back", "playback.step", ("Left",), "step-back", S.TRACE, (-1,)),
    A("step-10", RUN, "Ten forward", "playback.step", ("Shift+Right",), "", S.TRACE, (10,)),
    A("step-back-10", RUN, "Ten back", "playback.step", ("Shift+Left",), "", S.TRACE, (-10,)),
    A("first", RUN, "First iteration", "playback.to_start", ("Home",), "first", S.TRACE),
    A("last", RUN, "Last iteration", "playback.to_end", ("End",), "last", S.TRACE),
    A("pace-iterations", RUN, "Play by iteration", "playback.set_pace", (), "", S.ALWAYS, (Pace.ITERATIONS,),
      checkable=True, group="pace", submenu="Pace", tip="Every iteration as long as every other"),
    A("pace-time", RUN, "Play by real time", "playback.set_pace", (), "", S.ALWAYS, (Pace.TIME,),
      checkable=True, group="pace", submenu="Pace", tip="Every iteration as long as it took, slowed down"),
    A("slower", RUN, "Play slower", "playback.slower", ("[",), "", S.TRACE),
    A("faster", RUN, "Play faster", "playback.faster", ("]",), "", S.TRACE),

    A("palette", HELP, "Command palette…", "window.show_palette", ("Ctrl+K",), "palette",
      tip="Find any command or variant by its name"),
    A("shortcuts", HELP, "Keyboard shortcuts", "window.show_shortcuts", ("F1",), "keyboard"),
    A("devices", HELP, "Devices", "devices.show", (), "device", tip="Where kernels can run here, and what is missing"),
    A("about", HELP, "About Tautline", "window.show_about", (), "information", starts_section=True),
)  # fmt: skip
