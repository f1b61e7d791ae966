"""Progress of a reading: of several files, then of building the graph, as one fraction."""

from __future__ import annotations

from solvers.graphs.readers.input_file import InputFile
from solvers.host.observer import Observer

_PIPE_BYTES = 2**26  # weight of a pipe, whose size is unknown: at this position half of it counts as read


class ReadingProgress:
    """Combines the progress of reading several files and of building the graph into one fraction.

    Parameters
    ----------
    observer : Observer
    files : InputFile
        The files, in the order in which they will be read.
    """

    BUILD_SHARE = 0.2

    def __init__(self, observer: Observer, *files: InputFile):
        self._observer = observer
        self._total = sum(map(_weight, files)) or 1
        self._done = 0

    def at(self, file: InputFile, position: int) -> None:
        """Report that ``position`` bytes of the current file have been read."""
        read = _PIPE_BYTES * position / (_PIPE_BYTES + position) if file.size is None else min(position, file.size)
        self._observer.checkpoint((1 - self.BUILD_SHARE) * min(1.0, (self._done + read) / self._total), 1.0)

    def read_about(self, file: InputFile, share: float) -> None:
        """Report that about this share of the current file has been read, where its position is not known."""
        read = min(1.0, share) * _weight(file)
        self._observer.checkpoint((1 - self.BUILD_SHARE) * min(1.0, (self._done + read) / self._total), 1.0)

    def file_done(self, file: InputFile) -> None:
        self._done += _weight(file)

    def check(self) -> None:
        """Check for cancellation without reporting progress."""
        self._observer.checkpoint()

    def building(self, fraction: float) -> None:
        """Report the fraction done of building the graph, which follows the reading."""
        self._observer.checkpoint(1 - self.BUILD_SHARE * (1 - fraction), 1.0)


def _weight(file: InputFile) -> int:
    return _PIPE_BYTES if file.size is None else file.size
