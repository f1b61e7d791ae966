"""What the bundle starts: the program, or a part of it in a process of its own."""

from __future__ import annotations

import multiprocessing
import sys

from solvers import program

if __name__ == "__main__":
    program.prepare_environment()
    multiprocessing.freeze_support()
    if sys.argv[1:2] == [program.RUN]:
        sys.exit(program.run_part(*sys.argv[2:]))
    import main  # not before: parts of the program start without it

    sys.exit(main.main())
