"""A rank program for the tests: rank 1 is slow, later both wait for a message from the other."""

from __future__ import annotations

import sys
import time

import numpy as np

from solvers.features.mpi.ranks import open_folder

SLOW_S = 1.0


def main() -> None:
    ranks, hand_over = open_folder(sys.argv[2])
    ranks.barrier()  # progress is reported once every rank has written its process number
    hand_over.control.report(1)
    if ranks.rank == 1:
        time.sleep(SLOW_S)
    ranks.barrier()
    hand_over.control.report(2)
    ranks.receive(np.empty(1), sender=1 - ranks.rank)


if __name__ == "__main__":
    main()
