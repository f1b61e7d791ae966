"""What the results table and the charts show: phase, unit, scale, quantity, open chart; kept between starts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from gui.model.settings import Settings
from gui.style.numbers import UNITS, TimeUnit, column_unit

PHASE, UNIT, SCALE, CHART = "phase", "unit", "scale", "chart"
TIMING_QUANTITY, PHASES_QUANTITY = "timing quantity", "phases quantity"
FRONTIER_QUANTITY, FRONTIER_SCALE = "frontier quantity", "frontier scale"
DEVICE_QUANTITY, DEVICE_SCALE = "device quantity", "device scale"

TOTAL, SOLVE = "Total", "Solve"
AUTOMATIC, MICROSECONDS, MILLISECONDS, SECONDS = "Automatic", "µs", "ms", "s"
LOG, LINEAR = "Log", "Linear"
TIMES, SPEED_UP, SHARES = "Times", "Speed-up", "Shares"
ACTIVE, RELAXED = "Active", "Relaxed"
THREADS, WARPS, ARC_RATE, BYTE_RATE = "Threads", "Warps", "Arcs/s", "Bytes/s"

# The values of each choice; the first is the default.
VALUES: dict[str, tuple[str, ...]] = {
    PHASE: (TOTAL, SOLVE),
    UNIT: (AUTOMATIC, MICROSECONDS, MILLISECONDS, SECONDS),
    SCALE: (LOG, LINEAR),
    CHART: ("Timing", "Phases", "Frontier", "Device", "Histogram"),
    TIMING_QUANTITY: (TIMES, SPEED_UP),
    PHASES_QUANTITY: (TIMES, SHARES),
    FRONTIER_QUANTITY: (ACTIVE, RELAXED),
    FRONTIER_SCALE: (LOG, LINEAR),
    DEVICE_QUANTITY: (THREADS, WARPS, ARC_RATE, BYTE_RATE),
    DEVICE_SCALE: (LOG, LINEAR),
}


class DisplayChoices(QObject):
    """One value for each name in `VALUES`.

    Parameters
    ----------
    settings : Settings, optional
        Where the choices are kept; by default nowhere.

    Signals
    -------
    changed(str)
        The choice of that name has another value.
    """

    changed = Signal(str)

    def __init__(self, settings: Settings | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self._settings = settings
        self._chosen = {name: values[0] for name, values in VALUES.items()}
        if settings is not None:
            kept = {name: settings.display_choice(name) for name in VALUES}
            self._chosen |= {name: value for name, value in kept.items() if value in VALUES[name]}

    def __getitem__(self, name: str) -> str:
        return self._chosen[name]

    @property
    def phase(self) -> str:
        """The timed phase shown, as `Result.times` takes it: "total" or "solve"."""
        return self[PHASE].lower()

    @property
    def is_log(self) -> bool:
        """Whether times are shown on a logarithmic scale."""
        return self[SCALE] == LOG

    def unit(self, durations_ms: Sequence[float]) -> TimeUnit:
        """The chosen unit for a column of durations or, by default, the one that suits them."""
        return column_unit(durations_ms) if self[UNIT] == AUTOMATIC else UNITS[self[UNIT]]

    def choose(self, name: str, value: str) -> None:
        """Set a choice.

        Raises
        ------
        ValueError
            For a value that is not one of `VALUES`.
        """
        if value not in VALUES[name]:
            raise ValueError(f"{name} has no value {value!r}")
        if value != self._chosen[name]:
            self._chosen[name] = value
            if self._settings is not None:
                self._settings.set_display_choice(name, value)
            self.changed.emit(name)
