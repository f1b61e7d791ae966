"""``datasets``: list published graphs; download, check and remove them."""

from __future__ import annotations

import argparse

from solvers.commands.console import Console, add_json_option, interruptible
from solvers.features.datasets.catalogue import Dataset, DatasetStore, dataset, datasets, size_words
from solvers.text import format_bytes, format_count

FIRST_SEEN = "no published checksum; recorded now, and later downloads must have the same"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--get",
        nargs="+",
        metavar="ID",
        default=[],
        help="download these; resumes an interrupted download",
    )
    parser.add_argument(
        "--remove", nargs="+", metavar="ID", default=[], help="remove these from the cache folder"
    )
    parser.add_argument(
        "--accept-changed",
        action="store_true",
        help="with --get: take a file that differs from its first download",
    )
    add_json_option(parser)


def execute(arguments: argparse.Namespace, console: Console) -> int:
    store = DatasetStore()
    # unknown names are refused before anything happens
    wanted = [dataset(name) for name in arguments.get]
    for unwanted in [dataset(name) for name in arguments.remove]:
        store.remove(
            unwanted, tuple(found for found in datasets() if store.presence(found).complete)
        )
    for chosen in wanted:
        _get(chosen, store, arguments.accept_changed, console)
    if not arguments.get and not arguments.remove:
        _list(store, console, as_json=arguments.json)
    return 0


def _get(chosen: Dataset, store: DatasetStore, accept_changed: bool, console: Console) -> None:
    first = [file for file in chosen.files if not store.expected(file).sha256]
    with interruptible() as token:
        progress = console.progress_for(token, f"downloading {chosen.id}")
        paths = store.get(chosen, progress, accept_changed=accept_changed)
    console.clear_progress()
    for file, path in zip(chosen.files, paths, strict=True):
        remark = f" ({FIRST_SEEN})" if file in first else ""
        console.line(f"{path}  sha256 {store.expected(file).sha256}{remark}")
    console.line(f"licence: {chosen.collection.licence}")
    console.line(f"cite: {chosen.citation}")


def _list(store: DatasetStore, console: Console, *, as_json: bool) -> None:
    if as_json:
        console.json([_described(found, store) for found in datasets()])
        return
    rows = [
        (
            found.id,
            f"{found.collection.title}: {found.title}",
            format_count(found.vertices),
            format_count(found.arcs),
            size_words(found),
            _here(found, store),
        )
        for found in datasets()
    ]
    console.table(("id", "graph", "vertices", "arcs", "download", "here"), rows, right="  rrr")
    console.line()
    console.line(f"≈ is an estimate. Downloads go to {store.folder}: tautpath datasets --get ID")


def _here(chosen: Dataset, store: DatasetStore) -> str:
    presence = store.presence(chosen)
    if presence.complete:
        return "yes"
    return f"{format_bytes(presence.bytes)} so far" if presence.partial else ""


def _described(chosen: Dataset, store: DatasetStore) -> dict[str, object]:
    return {
        "id": chosen.id,
        "title": chosen.title,
        "collection": chosen.collection.title,
        "vertices": chosen.vertices,
        "arcs": chosen.arcs,
        "bytes": chosen.bytes,
        "bytes_estimated": not chosen.size_is_known,
        "licence": chosen.collection.licence,
        "citation": chosen.citation,
        "urls": [file.url for file in chosen.files],
        "sha256": [file.sha256 or None for file in chosen.files],
        "paths": [str(store.path(file)) for file in chosen.files]
        if store.presence(chosen).complete
        else [],
    }
