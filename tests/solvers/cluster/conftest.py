"""The shared cluster for all tests of this folder, which need Dask."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("distributed") is not None:
    from tests.solvers.cluster.shared_cluster import cluster

    __all__ = ["cluster"]
else:  # a GPU server may lack it
    collect_ignore_glob = ["test_*.py"]
