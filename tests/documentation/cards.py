"""The card of every variant as a page, and the list of all variants, from the registry."""

from __future__ import annotations

import re
from importlib import resources

from gui.panels.variant_card import GLOSSARY_SCHEME, linked
from solvers.core.pseudocode import Pseudocode
from solvers.core.variant import Algorithm, Answers, RunsOn, Variant, all_variants
from solvers.parameters import Parameter
from tests.documentation.markdown import code, fenced, indented, table, text

ANSWERS = {
    Answers.TARGET: "one path, from a source to a target",
    Answers.SSSP: "from one source to all vertices",
    Answers.APSP: "between all pairs of vertices",
}
RUNS_ON = {
    RunsOn.SERIAL: "one core",
    RunsOn.OPENMP: "all cores, as the papers' OpenMP programs",
    RunsOn.THREADS: "all cores",
    RunsOn.MPI: "MPI ranks",
    RunsOn.GPU: "a device with CUDA or OpenCL",
    RunsOn.HYBRID: "cores and a device together",
    RunsOn.ANY: "cores, or a device if there is one",
}
LIST = "variants/index.md"
_GLOSSARY = "../guide/glossary.html"
_GLOSSARY_LINK = re.compile(rf"<a href='{GLOSSARY_SCHEME}([\w-]+)'[^>]*>")


def page_of(variant: Variant) -> str:
    """Path of a variant's page among the pages."""
    return f"variants/{variant.id}.md"


def card_pages() -> dict[str, str]:
    """From paths to Markdown: a page of each variant, and the list of all."""
    return {LIST: _list(), **{page_of(variant): card(variant) for variant in all_variants()}}


def _list() -> str:
    parts = [
        "# Variants\n",
        f"The {len(all_variants())} variants of this version, from the registry that window "
        "and command line use. `tautpath variants` says which of them can run on a machine, "
        "and why others cannot.\n",
    ]
    for algorithm in Algorithm:
        rows = [
            (
                f"[{code(entry.id)}]({entry.id}.md)",
                text(entry.title),
                text(ANSWERS[entry.answers]),
                _place(entry),
            )
            for entry in all_variants()
            if entry.algorithm is algorithm
        ]
        parts += [f"## {algorithm.value}\n", table(("Id", "Title", "Answers", "Runs on"), rows)]
    return "\n".join(parts)


def card(variant: Variant) -> str:
    """One page: what the variant's card in the window says, its pseudo-code, parameters
    and sources.
    """
    seen: set[str] = set()
    parts = [f"# {text(variant.full_title)}\n", _facts(variant), _linked(variant.idea, seen)]
    for head, words in (
        ("Cost", variant.cost),
        ("What to watch", variant.watch),
        ("Caveat", variant.caveat),
    ):
        if words:
            parts += [f"## {head}\n", _linked(words, seen)]
    if variant.racy:
        parts += [
            "## Wrong by design\n",
            "It has a data race. Its answers are verified like all others.\n",
        ]
    if variant.pseudocode is not None:
        parts += [
            "## Pseudo-code\n",
            text(variant.pseudocode.title) + ":\n",
            fenced(_lines(variant.pseudocode)),
        ]
    if variant.parameters:
        rows = [_parameter_row(parameter) for parameter in variant.parameters]
        parts += ["## Parameters\n", table(("Name", "Meaning", "Values", "Default"), rows)]
    parts += ["## Run it\n", _usage(variant)]
    parts += ["## Program text { data-search-exclude }\n", *_sources(variant)]
    return "\n".join(parts)


def _place(variant: Variant) -> str:
    place = "a CUDA device" if variant.cuda_only else RUNS_ON[variant.runs_on]
    if variant.compute_capability:
        major, minor = divmod(variant.compute_capability, 10)
        place += f" of compute capability {major}.{minor} or higher"
    return place


def _facts(variant: Variant) -> str:
    needs = [
        *(["weights that are not negative"] if variant.needs_nonnegative else []),
        *(["coordinates"] if variant.needs_coordinates else []),
        *(f"the package {package}" for package in variant.packages),
    ]
    rows = [
        ("Answers", text(ANSWERS[variant.answers])),
        ("Runs on", text(_place(variant))),
        ("Threads and data", text(variant.mapping.value)),
        *([("Needs", text("; ".join(needs)))] if needs else []),
        *([("Source", text("; ".join(map(str, variant.papers))))] if variant.papers else []),
    ]
    return table(("Id", code(variant.id)), [(f"**{head}**", words) for head, words in rows])


def _linked(words: str, seen: set[str]) -> str:
    """A paragraph in which the first use of each word of the glossary leads there."""
    html = _GLOSSARY_LINK.sub(
        rf'<a href="{_GLOSSARY}#\1">', linked(" ".join(words.split()), seen, "")
    )
    return f"<p>{html}</p>\n"


def _lines(pseudocode: Pseudocode) -> str:
    return "\n".join("    " * line.depth + line.text for line in pseudocode.lines)


def _parameter_row(parameter: Parameter) -> tuple[str, str, str, str]:
    default = str(parameter.default)
    shown = default.lower() if isinstance(parameter.default, bool) else default
    return (
        code(parameter.name),
        text(parameter.meaning),
        text(parameter.describe_range()),
        code(shown) if shown else "",
    )


def _usage(variant: Variant) -> str:
    ends = {
        Answers.TARGET: " --source ID --target ID",
        Answers.SSSP: " --source ID",
        Answers.APSP: "",
    }
    keywords = {
        Answers.TARGET: ", source=…, target=…",
        Answers.SSSP: ", source=…",
        Answers.APSP: "",
    }
    shell = f"tautpath solve GRAPH{ends[variant.answers]} --variants {variant.id}"
    python = f'solve(graph, "{variant.id}"{keywords[variant.answers]})'
    return fenced(shell, "sh") + "\n" + fenced(python, "python")


def _sources(variant: Variant) -> list[str]:
    """The module, and the kernel if there is one, in blocks that unfold."""
    package, _, module = variant.module.rpartition(".")
    names = [(f"{module}.py", "python"), *([(variant.kernel, "cuda")] if variant.kernel else [])]
    parts = []
    for name, language in names:
        source = resources.files(package).joinpath(name).read_text("utf-8")
        parts += [
            f'??? note "{package.replace(".", "/")}/{name}"\n',
            indented(fenced(source, language)),
        ]
    return parts
