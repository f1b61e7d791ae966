"""The functions that ``from solvers import ...`` offers, and what `solve` returns."""
