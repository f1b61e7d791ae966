"""Reader of PACE treewidth graphs: ``p tw n m``, then lines ``u v``; undirected, unweighted, ids from 1."""

from __future__ import annotations

from solvers.graphs.readers.dimacs import header_counts
from solvers.graphs.readers.formats import COMMENTS, Format, Parsed, Sample
from solvers.graphs.readers.table import Layout, Table

_EDGE = Layout(ids=("vertex", "other vertex"), headers=b"p", comments=COMMENTS)


def _recognises(sample: Sample) -> bool:
    return sample.rows[0][:2] == ("p", "tw")


def _read(table: Table, sample: Sample, weighted: bool) -> Parsed:
    edges = table.rows(_EDGE)
    n, m = header_counts(table)
    return Parsed(edges, undirected=True, header_vertices=n, header_arcs=m, first_ids=(1,))


FORMAT = Format("PACE treewidth graph (p tw)", _recognises, _read)
