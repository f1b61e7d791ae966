"""Generated pages of the documentation site, and the tests of its examples; ``make
docs`` builds it.

The written pages lie in ``resources/docs/pages``. What the program already says of
itself (cards, help pages, options of commands, docstrings) is taken from there, so that
nothing is said twice.
"""
