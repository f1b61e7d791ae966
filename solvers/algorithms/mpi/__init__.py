"""The launcher of the rank programs, and code shared by host and ranks.

The rank programs ``mpi_rank.py`` of the algorithms are separate programs without a window; every rank runs one of them.
The window and the command line start them through ``launcher.py`` and pass the graph in a folder (``handover.py``); on
a cluster they are started manually, with the cluster's own launcher::

    mpiexec -n 8 -hostfile hosts python -m solvers.algorithms.dijkstra.mpi_rank \\
        --graph road.gr --source 1 --output distances.npy

Nothing here imports mpi4py before a program is started: importing it starts MPI.
"""
