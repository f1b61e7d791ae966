"""Variants over MPI: the processes of their rank programs, and code shared by host and ranks.

The rank programs, such as ``dijkstra_rank.py``, are separate programs without a window;
every rank runs one of them. The window and the command line start them by
``rank_group.py`` and pass the graph in a folder (``handover.py``); on a cluster they
are started manually. Nothing here imports mpi4py before: importing it starts MPI.
"""

from solvers.system.feature import Feature

FEATURE = Feature("Variants over MPI", variants=f"{__name__}.variants")
