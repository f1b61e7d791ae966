"""The processes of the rank programs, and code shared by host and ranks.

The rank programs ``mpi_rank.py`` of the algorithms are separate programs without a
window; every rank runs one of them. The window and the command line start them by
``rank_group.py`` and pass the graph in a folder (``handover.py``); on a cluster they
are started manually. Nothing here imports mpi4py before: importing it starts MPI.
"""
