"""METIS in a process of its own: one call reads a graph from stdin and writes the answer to stdout.

METIS computes for seconds and cannot be stopped, holds the interpreter's lock
meanwhile, and ends the process if it cannot handle a graph. The caller ends this
process instead (``dissection.py``). It is run as a script::

    python -P metis_process.py

and loads METIS, without NumPy, before it reads. Input: the task, the number of vertices,
n, and that of neighbours as int64, then both arrays of an `Adjacency`. Output of task 0:
the vertices in order of elimination, (n,) int32; of task 1: the half of each vertex, (n,)
int8.
"""

from __future__ import annotations

import os
import sys
from array import array

_UNBALANCED = 50  # by how many thousandths a half may be larger than the other
_BISECT = 1


def main() -> None:
    # here, because the catalogue imports every module of a family, with or without this
    # package
    import pymetis

    task, n, ends = _read("q", 3)
    graph = pymetis.CSRAdjacency(_read("q", n + 1), _read("i", ends))
    if task == _BISECT:
        options = pymetis.Options(ufactor=_UNBALANCED)
        halves = pymetis.part_graph(2, graph, recursive=True, options=options)[1]
        answer = array("b", halves)
    else:
        answer = array("i", pymetis.nested_dissection(graph)[0])
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    os._exit(0)  # without taking the arrays down one by one


def _read(kind: str, count: int) -> array[int]:
    numbers = array(kind)
    numbers.fromfile(sys.stdin.buffer, count)
    return numbers


if __name__ == "__main__":
    main()
