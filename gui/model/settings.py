"""Settings kept between starts: recent files, layout, colour scheme, ticked variants,
choices of table and charts.

`DisplayChoices` is what the results table and the charts show: phase, unit, scale,
quantity, open chart. No widgets.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from gui.style.text import UNITS, TimeUnit, button_text, clamped_percent, column_unit
from solvers.errors import ParameterError
from solvers.picture.colours import Scheme
from solvers.running.request import ADAPTIVE, MeasurementPlan

MOST_RECENT = 8
MOST_LETTERS = 48

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


class Settings(QObject):
    """A typed interface to QSettings."""

    recent_changed = Signal()

    def __init__(self, store: QSettings | None = None):
        super().__init__()
        self._store = store or QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Tautline", "Tautline", self
        )

    @property
    def recent_files(self) -> tuple[Path, ...]:
        """Recently opened files, newest first, without those that no longer exist."""
        return tuple(path for path in map(Path, self._texts("recent")) if path.is_file())

    def remember_file(self, path: Path) -> None:
        others = [p for p in self.recent_files if p != path]
        self._store.setValue("recent", [str(p) for p in (path, *others)][:MOST_RECENT])
        self.recent_changed.emit()

    def forget_files(self) -> None:
        self._store.remove("recent")
        self.recent_changed.emit()

    @property
    def scheme(self) -> Scheme:
        name = self._store.value("scheme", Scheme.SYSTEM.value)
        return Scheme(name) if name in [s.value for s in Scheme] else Scheme.SYSTEM

    def set_scheme(self, scheme: Scheme) -> None:
        self._store.setValue("scheme", scheme.value)

    @property
    def type_percent(self) -> int:
        """Size of the window's type in per cent of the desktop's; 100 if none, or none
        that can be read, was kept.
        """
        kept = self._text("type_percent")
        return clamped_percent(int(kept)) if kept.isascii() and kept.isdigit() else 100

    def set_type_percent(self, percent: int) -> None:
        self._store.setValue("type_percent", str(percent))

    @property
    def first_start(self) -> bool:
        """True until the window has been closed once."""
        return self.geometry is None

    @property
    def chosen_ids(self) -> tuple[str, ...] | None:
        """Ids of the variants ticked last; None at the first start."""
        return tuple(self._texts("chosen")) if self._store.contains("chosen") else None

    def set_chosen_ids(self, ids: tuple[str, ...]) -> None:
        self._store.setValue("chosen", list(ids))

    @property
    def plan(self) -> MeasurementPlan:
        """Warm-ups, trials, time limit, and whether the graph stays on the device;
        automatic if none was kept.
        """
        kept = {name: self._text(f"plan/{name}") for name in ("warmups", "trials", "time_limit_s")}
        try:
            return MeasurementPlan(
                warmups=int(kept["warmups"]) if kept["warmups"] else None,
                trials=int(kept["trials"]) if kept["trials"] else None,
                time_limit_s=float(kept["time_limit_s"]) if kept["time_limit_s"] else None,
                warm_graph=self._text("plan/warm_graph") == "True",
            )
        except (ValueError, ParameterError):
            return ADAPTIVE

    def set_plan(self, plan: MeasurementPlan) -> None:
        for name in ("warmups", "trials", "time_limit_s"):
            value = getattr(plan, name)
            self._store.setValue(f"plan/{name}", "" if value is None else str(value))
        self._store.setValue("plan/warm_graph", str(plan.warm_graph))

    @property
    def device_key(self) -> str:
        return self._text("device")

    def set_device_key(self, key: str) -> None:
        self._store.setValue("device", key)

    @property
    def cluster_addresses(self) -> tuple[str, ...]:
        """Clusters that were connected, the last one first."""
        return tuple(self._texts("clusters"))

    def remember_cluster(self, address: str) -> None:
        others = [one for one in self.cluster_addresses if one != address]
        self._store.setValue("clusters", [address, *others][:MOST_RECENT])

    @property
    def export_folder(self) -> Path:
        folder = Path(self._text("export_folder"))
        return folder if folder.is_dir() and folder != Path() else Path.home()

    def set_export_folder(self, folder: Path) -> None:
        self._store.setValue("export_folder", str(folder))

    def export_choice(self, name: str) -> str:
        """What was chosen last in an export dialog: "preset", "picture" or "animation"
        (formats); "" if nothing was.
        """
        return self._text(f"export/{name}")

    def set_export_choice(self, name: str, value: str) -> None:
        self._store.setValue(f"export/{name}", value)

    def display_choice(self, name: str) -> str:
        """A choice of `DisplayChoices`; "" if none was made."""
        return self._text(f"display/{name}")

    def set_display_choice(self, name: str, value: str) -> None:
        self._store.setValue(f"display/{name}", value)

    def play_choice(self, name: str) -> str:
        """Duration ("seconds") or pace of the play-back; "" if none was chosen."""
        return self._text(f"play/{name}")

    def set_play_choice(self, name: str, value: str) -> None:
        self._store.setValue(f"play/{name}", value)

    @property
    def menu_bar(self) -> bool:
        """Whether the menus are in a bar: by default where all programs have one."""
        return self._is_on("menu_bar", by_default=sys.platform == "darwin")

    def set_menu_bar(self, on: bool) -> None:
        self._turn("menu_bar", on)

    @property
    def motion(self) -> bool:
        """Whether view and colours change in motion, if the desktop has it on."""
        return self._is_on("motion")

    def set_motion(self, on: bool) -> None:
        self._turn("motion", on)

    @property
    def prepares_hierarchies(self) -> bool:
        """Whether the hierarchy of a road network is prepared after opening, without
        being asked.
        """
        return self._is_on("prepares_hierarchies")

    def set_prepares_hierarchies(self, on: bool) -> None:
        self._turn("prepares_hierarchies", on)

    @property
    def geometry(self) -> QByteArray | None:
        """Size and place of the window; None before it was closed once."""
        return self._bytes("geometry")

    def set_geometry(self, geometry: QByteArray) -> None:
        self._store.setValue("geometry", geometry)

    @property
    def results_division(self) -> QByteArray | None:
        """How table and charts were divided; None if nothing was kept."""
        return self._bytes("results_division")

    def set_results_division(self, division: QByteArray) -> None:
        self._store.setValue("results_division", division)

    @property
    def mode(self) -> str:
        """Name of the mode of the window; "" if none was kept."""
        return self._text("mode")

    def set_mode(self, name: str) -> None:
        self._store.setValue("mode", name)

    def bar(self, mode: str, side: str) -> tuple[str, int] | None:
        """Title of the open panel, "" for none, and width of a side bar; None if
        nothing that can be read was kept.
        """
        width = self._text(f"bars/{mode}/{side}_width")
        if not (width.isascii() and width.isdigit()):
            return None
        return self._text(f"bars/{mode}/{side}"), int(width)

    def set_bar(self, mode: str, side: str, title: str, width: int) -> None:
        self._store.setValue(f"bars/{mode}/{side}", title)
        self._store.setValue(f"bars/{mode}/{side}_width", str(width))

    def _text(self, key: str) -> str:
        """A kept text; "" if there is none."""
        return str(self._store.value(key, ""))

    def _is_on(self, key: str, *, by_default: bool = True) -> bool:
        return (self._text(key) or str(by_default).lower()) == "true"

    def _turn(self, key: str, on: bool) -> None:
        self._store.setValue(key, str(on).lower())

    def _bytes(self, key: str) -> QByteArray | None:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else None

    def _texts(self, key: str) -> list[str]:
        """A list of strings; QSettings returns a list of one as a string, and an empty
        list as None.
        """
        value = self._store.value(key)
        if value is None or value == "":
            return []
        return [value] if isinstance(value, str) else [str(v) for v in value]


def shortened(text: str) -> str:
    """``text`` with its middle elided if it is too long for a menu."""
    if len(text) <= MOST_LETTERS:
        return text
    head = MOST_LETTERS // 2
    return f"{text[:head]}…{text[-(MOST_LETTERS - head - 1) :]}"


def label_of(path: Path) -> str:
    """A file's name for a menu or a button, elided, with ``&`` escaped so that it does
    not mark a shortcut.
    """
    return button_text(shortened(path.name))


class DisplayChoices(QObject):
    """One value for each name in `VALUES`."""

    changed = Signal(str)  # the choice of that name has another value

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
        """Set a choice. Raises ValueError for a value that is not one of `VALUES`."""
        if value not in VALUES[name]:
            raise ValueError(f"{name} has no value {value!r}")
        if value != self._chosen[name]:
            self._chosen[name] = value
            if self._settings is not None:
                self._settings.set_display_choice(name, value)
            self.changed.emit(name)
