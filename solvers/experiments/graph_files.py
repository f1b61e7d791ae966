"""Finds and makes the graphs of an experiment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from solvers.errors import InputError
from solvers.experiments.grid import GraphChoice
from solvers.graphs.datasets.catalogue import datasets
from solvers.graphs.datasets.store import DatasetStore
from solvers.graphs.graph import Graph
from solvers.graphs.readers import read_graph
from solvers.host.observer import SILENT, Observer
from solvers.running.store.kept_run import GraphSource, ReadingOptions

_ENDINGS = ("", ".gz")


class GraphFiles:
    """Looks for the files of graphs in folders and in the folders just below them, then among downloaded datasets.

    Parameters
    ----------
    folders : iterable of Path
    """

    def __init__(self, folders: Iterable[Path] = ()):
        self._folders = tuple(dict.fromkeys((*map(Path, folders), DatasetStore().folder)))

    def find(self, name: str) -> Path | None:
        """The file of that name, plain or compressed; None if there is none."""
        for folder in self._folders:
            for ending in _ENDINGS:
                places = (folder / (name + ending), *sorted(folder.glob(f"*/{name}{ending}")))
                if (found := next((place for place in places if place.is_file()), None)) is not None:
                    return found
        return None

    def missing(self, choice: GraphChoice) -> str:
        """Why the graph cannot be had, and what to do; "" if it can."""
        if choice.spec.generator is not None or self.find(choice.spec.file) is not None:
            return ""
        known = (found.id for found in datasets() if found.graph.name.removesuffix(".gz") == choice.spec.file)
        if (dataset := next(known, None)) is not None:
            return f"the file {choice.spec.file} is not here; “tautline datasets --get {dataset}” downloads it"
        return f"the file {choice.spec.file} is not here; download it and name its folder with --graphs"

    def make(self, choice: GraphChoice, observer: Observer = SILENT) -> tuple[Graph, GraphSource]:
        """Generate or read the graph; also says where it came from, so that it can be had again.

        Raises
        ------
        InputError
            If its file is missing, or as `read_graph`.
        Cancelled
        """
        spec = choice.spec
        if spec.generator is not None:
            graph = spec.generator.generate(choice.parameters, observer)
            return graph, GraphSource(generator=spec.generator.id, parameters=dict(choice.parameters))
        path = self.find(spec.file)
        if path is None:
            raise InputError(f"{choice.title}: {self.missing(choice)}.")
        graph = read_graph(path, undirected=spec.undirected, weights=spec.weights, observer=observer).graph
        return graph, GraphSource(str(path.resolve()), ReadingOptions("", spec.undirected, spec.weights))
