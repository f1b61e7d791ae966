"""The tests of other libraries, as installed, run against ours: ``python -m tests.peers``."""
