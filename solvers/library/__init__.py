"""The library interface: the functions of ``from solvers import ...`` and the result of `solve`."""
