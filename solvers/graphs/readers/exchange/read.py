"""From the name of an exchange format to its title and reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from solvers.graphs.readers.formats import Parsed
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.progress import ReadingProgress


@dataclass(frozen=True)
class ExchangeFormat:
    """An exchange format.

    Attributes
    ----------
    title : str
    module, function : str
        Where its reader is, which is imported only for such a file.
    has_attributes : bool
        Whether edges have attributes by name, one of which is the weight.
    """

    title: str
    module: str
    function: str
    has_attributes: bool = False

    def read(self, file: InputFile, weighted: bool, attribute: str, progress: ReadingProgress) -> Parsed:
        """Read a file of this format, with weights or without; ``attribute`` names that of the weights, or is "".

        Raises
        ------
        FileFormatError
        UnknownName
            If no edge has the attribute.
        OutOfMemory
            Before the memory is spent.
        Cancelled
        """
        module = import_module(f"solvers.graphs.readers.exchange.{self.module}")
        function: Callable[..., Parsed] = getattr(module, self.function)
        if self.has_attributes:
            return function(file, weighted, progress, attribute)
        return function(file, weighted, progress)


_networkx = partial(ExchangeFormat, module="networkx_formats", has_attributes=True)

EXCHANGE_FORMATS = {
    "graphml": _networkx("GraphML", function="read_graphml"),
    "gexf": _networkx("GEXF", function="read_gexf"),
    "gml": _networkx("GML", function="read_gml"),
    "json": _networkx("node-link JSON", function="read_json"),
    "pajek": ExchangeFormat("Pajek (.net)", "pajek", "read_pajek"),
    "matrix-market": ExchangeFormat("Matrix Market", "matrix_market", "read_matrix_market"),
    "npz": ExchangeFormat("SciPy sparse matrix (.npz)", "npz", "read_npz"),
}
