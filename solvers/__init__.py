"""Tautline's laboratory without its window: graphs, shortest-path variants, devices, timing and proof.

Nothing below this package imports Qt; it works as a library and on a server with no display.
"""

__version__ = "0.1.0"
