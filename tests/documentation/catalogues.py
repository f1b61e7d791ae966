"""Published graphs and shipped experiments, from the files that list them."""

from __future__ import annotations

from itertools import groupby

from solvers.core.variant import Variant
from solvers.experiments.spec import Experiment
from solvers.experiments.spec_file import shipped
from solvers.graphs.datasets import datasets, size_words
from solvers.text import format_count
from tests.documentation.markdown import code, table, text


def dataset_reference() -> str:
    """A section of each collection: its terms of use, its graphs, and what to cite."""
    parts = []
    for collection, listed in groupby(datasets(), key=lambda one: one.collection):
        graphs = list(listed)
        rows = [
            (code(one.id), text(one.title), format_count(one.vertices), format_count(one.arcs), size_words(one))
            for one in graphs
        ]
        parts += [
            f"## {text(collection.title)}\n",
            f"Terms of use: {text(collection.licence)}. [The publisher's page]({collection.page})\n",
        ]
        parts += [table(("Id", "", "Vertices", "Lines", "Download"), rows)]
        citations = dict.fromkeys(one.citation for one in graphs)
        parts += ["To cite:\n", "".join(f"- {text(citation)}\n" for citation in citations)]
    return "\n".join(parts)


def experiment_reference() -> str:
    """A section of each paper: the experiments that repeat its figures and tables."""
    parts = []
    for paper, listed in groupby(shipped(), key=lambda one: one.paper):
        experiments = list(listed)
        parts += [f"## {text(paper)}\n", f"{text(experiments[0].citation)}\n"]
        parts += [
            f"### {text(one.title)} {{ #{one.id} }}\n\n{code(one.id)}, {text(one.place)}. {text(one.question)}\n\n"
            f"{text(one.method)}\n\nVariants: {_variants(one)}\n"
            for one in experiments
        ]
    return "\n".join(parts)


def _variants(experiment: Experiment) -> str:
    used: dict[str, Variant] = {series.variant.id: series.variant for series in experiment.series}
    return ", ".join(f"[{code(name)}](../variants/{name}.md)" for name in used)
