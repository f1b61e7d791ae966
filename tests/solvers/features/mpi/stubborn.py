"""A rank program for the tests that obeys nobody: it comes up, says that it works, and sleeps."""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from solvers.features.mpi.handover import HandOver
from solvers.features.mpi.ranks import Ranks


@dataclass(frozen=True)
class Settings:
    """Nothing to set."""


def main() -> None:
    hand_over = HandOver(Path(sys.argv[2]))
    ranks = Ranks()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hand_over.control.announce(ranks.rank)
    ranks.barrier()
    hand_over.control.report(1)
    time.sleep(60)


if __name__ == "__main__":
    main()
