"""Compilation of functions and kernels before the user needs them, by rehearsing what the first minutes bring.

numba and the kernel compilers keep what they compile in caches. A rehearsal opens a sample, draws it and runs variants
in a process of its own, so that whatever the program really calls is compiled, without a list of functions to keep up.
"""
