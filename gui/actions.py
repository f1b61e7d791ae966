"""What each action does. Its menu, words, keys and needs are in `resources/actions.toml`, and
for a feature in its own `actions.toml`: the table that menus, toolbar, shortcut list and search
are built from.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial, reduce
from operator import or_
from typing import Any

from gui.contributions import Contribution, WindowActs, modes_of, tables_of_rows
from gui.model.playback import FlowSteps, Pace
from gui.model.samples import SAMPLES
from gui.model.session import Session
from gui.parts import WindowComponents
from gui.shell.commands import FILE, MENUS, VIEW, Act, Action, OneOf, State, Toggle
from gui.shell.side_bars import BarSide, Mode
from solvers.picture.colours import Scheme
from solvers.picture.layout.arrangements import Arrangement
from solvers.picture.scene.content import Layer
from solvers.picture.scene.explanation import explanation_of
from solvers.system.feature import placed
from solvers.system.files import RESOURCES


def actions(
    p: WindowComponents, window: WindowActs, features: Iterable[Contribution] = ()
) -> list[Action]:
    """All actions, in the order of the menus."""
    acts = _run_acts(p, window) | _picture_acts(p, window) | _other_acts(p, window)
    missing: dict[str, Callable[[], str]] = dict.fromkeys(_TREES, partial(why_no_layer, p))
    for feature in features:
        acts |= feature.acts
        missing |= feature.missing
    lists = {"samples": _samples(p), "modes": _modes(window, modes_of(features))}
    found = []
    for menu in MENUS:
        for row in _table()[menu]:
            name = row.get("list")
            found += [_action(menu, row, acts, missing)] if name is None else lists[name]
    return found


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    """The rows of each menu, in their order: those of the core with those of features."""
    rows = tomllib.loads((RESOURCES / "actions.toml").read_text("utf-8"))
    added = [tomllib.loads(table.read_text("utf-8")) for table in tables_of_rows()]
    for menu in MENUS:
        ours = [(row.pop("after"), row) for table in added for row in table.get(menu, ())]
        rows[menu] = placed(rows[menu], ours, lambda row: row.get("id") or row["list"])
    return rows


def _action(
    menu: str,
    row: dict[str, Any],
    acts: Mapping[str, Act],
    missing: Mapping[str, Callable[[], str]],
) -> Action:
    act, lacks = acts[row["id"]], missing.get(row["id"])
    needs = (State[name.upper()] for name in row.get("needs", ()))
    given = row | {"keys": tuple(row.get("keys", ())), "needs": reduce(or_, needs, State.ALWAYS)}
    return Action(menu=menu, act=act, missing=lacks, **given)


_TREES = {f"tree-{depth or 'whole'}": depth for depth in (5, 20, 100, 500, None)}


def why_no_layer(p: WindowComponents, name: str = Layer.TREE.value) -> str:
    """What to do first to see a layer, where a lesson has colours of its own; "" elsewhere."""
    if Layer(name) not in (Layer.VISITED, Layer.BANDS, Layer.TREE):
        return ""
    graph, trace, shown = p.session.graph, p.playback.trace, p.canvas.options.shown
    if graph is None or isinstance(trace, FlowSteps) or Layer.SO_FAR not in shown:
        return ""
    explained = explanation_of(graph, trace, p.playback.position, p.session.source)
    return "" if explained is None else "Switch off Layers > Tentative distances first"


def _samples(p: WindowComponents) -> list[Action]:
    return [
        Action(
            f"sample-{sample.id}",
            FILE,
            sample.title,
            partial(p.open.open_sample, sample.id),
            submenu="Samples",
            tip=f"Open a sample: {sample.hint}",
        )
        for sample in SAMPLES
    ]


def _modes(window: WindowActs, modes: Sequence[Mode]) -> list[Action]:
    return [
        Action(
            f"mode-{mode.name.lower()}",
            VIEW,
            mode.name,
            OneOf("mode", mode, window.choose_mode, lambda: window.bars.mode),
            submenu="Modes",
            starts_section=mode is modes[0],
            tip=mode.tip,
        )
        for mode in modes
    ]


# By the ids of the table. A part that is made when first used is named in a lambda: a bound
# method would make it when the window starts. The view is, too: it is that of the canvas or
# matrix that is shown when the action is triggered.


def _go_on(p: WindowComponents, move: Callable[[], None]) -> None:
    if p.playback.at_end and not p.playback.playing:
        p.session.inform("This is the last step of the run.")
    move()


def _go_back(p: WindowComponents, move: Callable[[], None]) -> None:
    if p.playback.at_start and not p.playback.playing:  # which ends
        p.session.inform("This is the first step of the run.")
    move()


def _run_acts(p: WindowComponents, window: WindowActs) -> dict[str, Act]:
    """Of runs, the play-back, and what is measured in other ways."""
    play = p.playback
    return {
        "run": p.run.ask,
        "cancel": p.run.cancel,
        "skip": p.run.skip,
        "plan": window.show_plan,
        "trace": p.trace.trace_selected,
        "play": play.toggle,
        "step": partial(_go_on, p, partial(play.step, 1)),
        "step-back": partial(_go_back, p, partial(play.step, -1)),
        "step-10": partial(_go_on, p, partial(play.step, 10)),
        "step-back-10": partial(_go_back, p, partial(play.step, -10)),
        "first": partial(_go_back, p, play.to_start),
        "last": partial(_go_on, p, play.to_end),
        "slower": play.slower,
        "faster": play.faster,
        **{
            f"fit-{seconds}": OneOf("fit", float(seconds), play.fit, lambda: play.seconds)
            for seconds in (5, 15, 30)
        },
        **{
            f"pace-{pace.value}": OneOf("pace", pace, play.set_pace, lambda: play.pace)
            for pace in Pace
        },
    }


def _picture_acts(p: WindowComponents, window: WindowActs) -> dict[str, Act]:
    """Of the picture, charts, panels and colours."""
    canvas, scenes, options = p.canvas, p.canvas.scenes, p.canvas.options
    scale_type, set_scheme = p.look.scale_type, p.look.set_scheme
    return {
        "fit": lambda: canvas.view.show_all(),
        "zoom-in": lambda: canvas.view.zoom_in(),
        "zoom-out": lambda: canvas.view.zoom_out(),
        "zoom-path": canvas.zoom_to_path,
        "zoom-frontier": canvas.zoom_to_frontier,
        "levels": Toggle(
            partial(options.set_layer, Layer.LEVELS),
            checked=lambda: Layer.LEVELS in options.shown,
        ),
        "matrix": Toggle(canvas.show_matrix, checked_by=canvas.matrix_requested),
        "bars": lambda: window.bars.toggle_both(),
        "type-larger": partial(scale_type, 10),
        "type-smaller": partial(scale_type, -10),
        "type-normal": partial(scale_type, 0),
        "menu-bar": Toggle(window.set_menu_bar, checked=lambda: p.settings.menu_bar),
        "motion": Toggle(p.look.set_motion, checked=lambda: p.settings.motion),
        **{
            f"split-{count}": OneOf("split", count, canvas.split, lambda: canvas.split_count)
            for count in (1, 2, 3, 4)
        },
        **{
            f"layout-{layout.value}": OneOf(
                "layout", layout, scenes.arrange, lambda: scenes.arrangement
            )
            for layout in Arrangement
        },
        **{name: OneOf("tree", depth, options.show_tree) for name, depth in _TREES.items()},
        **{
            f"chart-{title.lower()}": partial(p.charts.show_in_window, title)
            for title in ("Timing", "Phases", "Frontier", "Device")
        },
        **{f"{side.value}-bar": partial(_toggle_bar, window, side) for side in BarSide},
        **{
            f"scheme-{scheme.value}": OneOf("scheme", scheme, set_scheme, lambda: p.settings.scheme)
            for scheme in Scheme
        },
    }


def _other_acts(p: WindowComponents, window: WindowActs) -> dict[str, Act]:
    """Of files, edits and help."""
    return {
        "open": p.open.ask,
        "open-options": p.open.ask_with_options,
        "generate": p.open.ask_to_generate,
        "information": p.open.show_information,
        "export-picture": p.export.ask_picture,
        "export-path": p.answer_export.ask_path,
        "export-distances": p.answer_export.ask_distances,
        "export-animation": p.export.ask_animation,
        "export-chart": p.export.ask_chart,
        "export-csv": p.export.ask_csv,
        "export-network": p.export.ask_network,
        "quit": window.quit,
        "copy-picture": p.export.copy_picture,
        "find": p.help.search,
        "source": partial(p.canvas.arm, "source"),
        "target": partial(p.canvas.arm, "target"),
        "swap": p.session.swap_endpoints,
        "clear-results": p.session.results.clear,
        **{
            f"weights-{name}": OneOf(
                "weights", name, p.weights.weigh_by, partial(_weights_of, p.session)
            )
            for name in ("seconds", "metres")
        },
        "shortcuts": p.help.show_shortcuts,
        "devices": p.help.show_devices,
        "tour": p.tour.start,
        "about": p.help.show_about,
        "log": p.help.show_log,
        **{action_id: partial(p.help.show_page, page) for action_id, page in _PAGES.items()},
    }


_PAGES = {
    "measuring": "measuring",
    "levels-help": "levels",
    "presenting-help": "presenting",
    "openstreetmap-help": "openstreetmap",
    "formats-help": "formats",
    "glossary": "glossary",
    "notices": "notices",
}


def _toggle_bar(window: WindowActs, side: BarSide) -> None:
    window.bars.toggle(side)


def _weights_of(session: Session) -> str:
    """Name of the weights of the open network; "" if it has no others."""
    graph = session.graph
    columns = () if graph is None or graph.roads is None else graph.roads.weights
    return next(
        (
            column.name
            for column in columns
            if graph is not None and column.unit == graph.weight_unit
        ),
        "",
    )
