"""``python -m tautpath``: the window, or the command that the arguments name."""

import sys

from main import main

sys.exit(main())
