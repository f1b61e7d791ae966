"""The rank programs' launcher, and what host and ranks share.

``dijkstra.py`` and ``floyd_warshall.py`` are programs of their own: every rank runs one of them, and they know no
window. The window and the command line start them through ``launcher.py`` and hand the graph over in a folder
(``handover.py``); on a cluster they are started by hand, with the launcher that is at home there::

    mpiexec -n 8 -hostfile hosts python -m solvers.algorithms.dijkstra.mpi_rank \\
        --graph road.gr --source 1 --output distances.npy

Nothing here imports mpi4py before a program is started: importing it starts MPI.
"""
