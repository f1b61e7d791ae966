"""Pages from what the program lists: commands, graphs, experiments, menus, help pages
and NetworkX's functions.
"""

from __future__ import annotations

import io
import os
import re
from contextlib import redirect_stdout
from functools import cache
from html import unescape
from itertools import groupby
from unittest.mock import patch

import networkx
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from gui.dialogs.help import GESTURES
from gui.model.settings import Settings
from gui.shell.commands import MENUS, Action
from gui.window import MainWindow
from solvers import cli
from solvers.core.variant import Variant
from solvers.features.datasets.catalogue import datasets, size_words
from solvers.features.experiments.spec import Experiment
from solvers.features.experiments.spec_file import shipped
from solvers.features.networkx_backend.info import FUNCTIONS
from solvers.graphs.generators import generators
from solvers.graphs.readers.formats import FORMATS_READ
from solvers.system.files import temporary_folder
from solvers.text import format_count
from tests.documentation.markdown import HELP, code, fenced, table, text


def dataset_reference() -> str:
    """A section of each collection: its terms of use, its graphs, and what to cite."""
    parts = []
    for collection, listed in groupby(datasets(), key=lambda one: one.collection):
        graphs = list(listed)
        rows = [
            (
                code(one.id),
                text(one.title),
                format_count(one.vertices),
                format_count(one.arcs),
                size_words(one),
            )
            for one in graphs
        ]
        parts += [
            f"## {text(collection.title)}\n",
            (
                f"Terms of use: {text(collection.licence)}. "
                f"[The publisher's page]({collection.page})\n"
            ),
        ]
        parts += [table(("Id", "", "Vertices", "Lines", "Download"), rows)]
        citations = dict.fromkeys(one.citation for one in graphs)
        parts += ["To cite:\n", "".join(f"- {text(citation)}\n" for citation in citations)]
    return "\n".join(parts)


def format_reference() -> str:
    """A table of the formats of graphs that are read."""
    rows = [
        (
            text(f"{form.short[:1].upper()}{form.short[1:]}"),
            ", ".join(map(code, form.suffixes)),
            form.direction,
            form.weights,
        )
        for form in FORMATS_READ
    ]
    return table(("Format", "Usual names", "Direction", "Weights and coordinates"), rows)


def experiment_reference() -> str:
    """A section of each paper: the experiments that repeat its figures and tables."""
    parts = []
    for paper, listed in groupby(shipped(), key=lambda one: one.paper):
        experiments = list(listed)
        parts += [f"## {text(paper)}\n", f"{text(experiments[0].citation)}\n"]
        parts += [
            f"### {text(one.title)} {{ #{one.id} }}\n"
            "\n"
            f"{code(one.id)}, {text(one.place)}. {text(one.question)}\n"
            "\n"
            f"{text(one.method)}\n\nVariants: {_variants(one)}\n"
            for one in experiments
        ]
    return "\n".join(parts)


def _variants(experiment: Experiment) -> str:
    used: dict[str, Variant] = {series.variant.id: series.variant for series in experiment.series}
    return ", ".join(f"[{code(name)}](../variants/{name}.md)" for name in used)


_COLUMNS = "100"


def command_reference() -> str:
    """A section of each command."""
    parts = []
    for name, command in cli.COMMANDS.items():
        parts += [f"## tautpath {name}\n", f"{command.purpose}\n", fenced(help_of(name))]
    return "\n".join(parts)


def generator_reference() -> str:
    """A section of each family of generated graphs."""
    parts = []
    for family in generators():
        rows = [
            (code(p.name), text(p.meaning), text(p.describe_range()), code(str(p.default).lower()))
            for p in family.parameters
        ]
        parts += [
            f"## {family.title} {{ #{family.id} }}\n",
            f"Id {code(family.id)}. {text(family.idea)}\n",
        ]
        parts += [table(("Parameter", "Meaning", "Values", "Default"), rows)]
    return "\n".join(parts)


def help_of(*command: str) -> str:
    """What ``tautpath COMMAND --help`` prints, in lines of a fixed length."""
    out = io.StringIO()
    # argparse colours its help from Python 3.14 on, and takes the length of lines from
    # the environment.
    with patch.dict(os.environ, {"COLUMNS": _COLUMNS, "NO_COLOR": "1"}), redirect_stdout(out):
        status = cli.main([*command, "--help"])
    assert status == 0, out.getvalue()
    return out.getvalue()


_HEADING = re.compile(r"<h([1-4])>(.*?)</h\1>", re.DOTALL)
_ANCHOR = re.compile(r'<a name="([\w-]+)"[^>]*></a>')


def help_pages() -> dict[str, str]:
    """From paths to Markdown, one page of each help page."""
    return {f"guide/{path.stem}.md": as_markdown(path.read_text("utf-8")) for path in sorted(HELP)}


def as_markdown(html: str) -> str:
    """A help page, whose HTML Markdown passes through, with headings and anchors that
    the site understands.
    """
    html = html.replace(' cellpadding="3"', "")
    html = _ANCHOR.sub(r'<a id="\1"></a>', html)
    return _HEADING.sub(
        lambda found: f"\n{'#' * int(found[1])} {' '.join(unescape(found[2]).split())}\n", html
    )


def title_of(markdown: str) -> str:
    """The text of the first heading."""
    return markdown.partition("# ")[2].partition("\n")[0]


@cache
def window_actions() -> tuple[Action, ...]:
    """The actions of a window that is made for them, and not shown."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _ = QApplication.instance() or QApplication([])
    with temporary_folder("documentation") as folder:
        window = MainWindow(
            Settings(QSettings(str(folder / "tautpath.ini"), QSettings.Format.IniFormat))
        )
        window.close()
    return tuple(spec for spec, _ in window.commands)


def menus() -> str:
    """A table of each menu, and one of the mouse."""
    parts = []
    for menu in MENUS:
        rows = [
            (text(_place(spec)), _keys(spec), text(spec.tip))
            for spec in window_actions()
            if spec.menu == menu
        ]
        parts += [f"## {menu}\n", table(("Command", "Keys", ""), rows)]
    gestures = [(text(what), text(how)) for what, how in GESTURES]
    return "\n".join([*parts, "## Mouse on the graph\n", table(("To", "Do"), gestures)])


def _place(spec: Action) -> str:
    return f"{spec.submenu} > {spec.text}" if spec.submenu else spec.text


def _keys(spec: Action) -> str:
    return " or ".join(f"<kbd>{key}</kbd>" for key in spec.keys)


def backend_functions() -> str:
    """Tables by the module of NetworkX that defines the functions, in the order of the list."""
    parts = []
    by_module = sorted(FUNCTIONS, key=module_of)  # stable: the order of the list within a module
    for module, names in groupby(by_module, key=module_of):
        rows = [(code(name), text(FUNCTIONS[name]).replace("\\`", "`")) for name in names]
        parts += [f"### {module}\n", table(("Function", "Here"), rows)]
    return "\n".join(parts)


def module_of(name: str) -> str:
    """Dotted name of the module in which NetworkX defines a function."""
    function = getattr(networkx.algorithms, name, None) or getattr(networkx, name)
    module: str = function.orig_func.__module__
    return module
