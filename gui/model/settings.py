"""Settings kept between starts: recent files, layout, colour scheme, ticked variants,
choices of table and charts.

`DisplayChoices` is what the results table and the charts show: phase, unit, scale,
quantity, open chart. No widgets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from gui.style.text import UNITS, TimeUnit, button_text, clamped_percent, column_unit
from solvers.errors import ParameterError
from solvers.graphs.reading import AS_FOUND, ReadingOptions
from solvers.picture.colours import Scheme
from solvers.running.request import ADAPTIVE, MeasurementPlan
from solvers.system import former_name
from solvers.system.known_types import known

MOST_RECENT = 8
MOST_LETTERS = 48
_PLANNED = ("warmups", "trials", "time_limit_s")
T = TypeVar("T")

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


def _text(value: object) -> str:
    return str(value or "")


def _texts(value: object) -> list[str]:
    """QSettings returns a list of one as a string, and an empty list as None."""
    if isinstance(value, str):
        return [value] if value else []
    return [str(one) for one in value] if isinstance(value, Iterable) else []


def _bytes(value: object) -> QByteArray | None:
    return value if isinstance(value, QByteArray) else None


def _percent(value: object) -> int:
    """100 if no number was kept."""
    kept = _text(value)
    return clamped_percent(int(kept)) if kept.isascii() and kept.isdigit() else 100


def _scheme(value: object) -> Scheme:
    return Scheme(value) if value in [one.value for one in Scheme] else Scheme.SYSTEM


def _folder(value: object) -> Path:
    """The user's own folder if none was kept, or the kept one has gone."""
    folder = Path(_text(value))
    return folder if folder.is_dir() and folder != Path() else Path.home()


@dataclass(frozen=True)
class Kept(Generic[T]):
    """An attribute of `Settings`: what is kept for ``key``, as ``read`` understands it."""

    key: str
    read: Callable[[object], T]
    write: Callable[[T], object] = lambda value: value

    def __get__(self, settings: Settings, owner: type[Settings]) -> T:
        return self.read(settings.store.value(self.key))

    def __set__(self, settings: Settings, value: T) -> None:
        settings.store.setValue(self.key, self.write(value))


def _switch(key: str, by_default: Callable[[], bool] = lambda: True) -> Kept[bool]:
    def read(value: object) -> bool:
        return (_text(value) or str(by_default()).lower()) == "true"

    return Kept(key, read, lambda on: str(on).lower())


class Settings(QObject):
    """A typed interface to QSettings.

    Attributes
    ----------
    type_percent : int
        Size of the window's type in per cent of the desktop's.
    device_key : str
        Of the device that kernels run on; "" if none was chosen.
    export_folder : Path
        Of the last export.
    menu_bar : bool
        Whether the menus are in a bar: by default where all programs have one.
    motion : bool
        Whether view and colours change in motion, if the desktop has it on.
    prepares_hierarchies : bool
        Whether the hierarchy of a road network is prepared after opening, without being
        asked.
    geometry, results_division : QByteArray or None
        Size and place of the window, None before it was closed once; and how the user
        divided table and charts, None if that was left to the table's rows.
    mode : str
        Name of the mode of the window; "" if none was kept.
    """

    recent_changed = Signal()

    scheme = Kept("scheme", _scheme, lambda scheme: scheme.value)
    type_percent = Kept("type_percent", _percent, str)
    device_key = Kept("device", _text)
    export_folder = Kept("export_folder", _folder, str)
    menu_bar = _switch("menu_bar", lambda: sys.platform == "darwin")
    motion = _switch("motion")
    prepares_hierarchies = _switch("prepares_hierarchies")
    geometry = Kept("geometry", _bytes)
    results_division = Kept("results_divided", _bytes)  # earlier: also undivided
    mode = Kept("mode", _text)

    def __init__(self, store: QSettings | None = None):
        super().__init__()
        self.store = store or _users_store(self)

    def text(self, key: str) -> str:
        """What was chosen last, such as the format of pictures for "export/picture"; "" if
        nothing was.
        """
        return _text(self.store.value(key))

    def keep(self, key: str, text: str) -> None:
        """Keep a text for `text`."""
        self.store.setValue(key, text)

    @property
    def recent_files(self) -> tuple[Path, ...]:
        """Recently opened files, newest first, without those that no longer exist."""
        kept = map(Path, _texts(self.store.value("recent")))
        return tuple(path for path in kept if path.is_file())

    def remember_file(self, path: Path, reading: ReadingOptions | None = None) -> None:
        """List a file first, and keep how it was read."""
        others = [p for p in self.recent_files if p != path]
        files = [str(p) for p in (path, *others)][:MOST_RECENT]
        kept = self._readings | {str(path): reading or AS_FOUND}
        readings = {file: kept[file] for file in files if file in kept}
        self.store.setValue("recent", files)
        self.store.setValue("recent_readings", msgspec.json.encode(readings).decode())
        self.recent_changed.emit()

    def reading_of(self, path: Path) -> ReadingOptions:
        """How a recent file was read last; as by default if that is not known."""
        return self._readings.get(str(path), AS_FOUND)

    @property
    def _readings(self) -> dict[str, ReadingOptions]:
        kept = _text(self.store.value("recent_readings")) or "{}"
        try:
            return msgspec.json.decode(kept, type=known(dict[str, ReadingOptions]))
        except (msgspec.MsgspecError, RecursionError):
            return {}

    def forget_files(self) -> None:
        self.store.remove("recent")
        self.store.remove("recent_readings")
        self.recent_changed.emit()

    @property
    def chosen_ids(self) -> tuple[str, ...] | None:
        """Ids of the variants ticked last; None at the first start."""
        kept = self.store.value("chosen")
        return tuple(_texts(kept)) if self.store.contains("chosen") else None

    @chosen_ids.setter
    def chosen_ids(self, ids: tuple[str, ...]) -> None:
        self.store.setValue("chosen", list(ids))

    @property
    def plan(self) -> MeasurementPlan:
        """Warm-ups, trials, time limit, and whether the graph stays on the device;
        automatic if none was kept.
        """
        warmups, trials, limit = (self.text(f"plan/{name}") for name in _PLANNED)
        try:
            return MeasurementPlan(
                warmups=int(warmups) if warmups else None,
                trials=int(trials) if trials else None,
                time_limit_s=float(limit) if limit else None,
                warm_graph=self.text("plan/warm_graph") == "True",
            )
        except (ValueError, ParameterError):
            return ADAPTIVE

    @plan.setter
    def plan(self, plan: MeasurementPlan) -> None:
        for name in _PLANNED:
            value = getattr(plan, name)
            self.keep(f"plan/{name}", "" if value is None else str(value))
        self.keep("plan/warm_graph", str(plan.warm_graph))

    @property
    def cluster_addresses(self) -> tuple[str, ...]:
        """Clusters that were connected, the last one first."""
        return tuple(_texts(self.store.value("clusters")))

    def remember_cluster(self, address: str) -> None:
        others = [one for one in self.cluster_addresses if one != address]
        self.store.setValue("clusters", [address, *others][:MOST_RECENT])

    def bar(self, mode: str, side: str) -> tuple[str, int] | None:
        """Title of the open panel, "" for none, and width of a side bar; None if
        nothing that can be read was kept.
        """
        key = f"bars/{mode}/{side}"
        width = self.text(f"{key}_width")
        return (self.text(key), int(width)) if width.isascii() and width.isdigit() else None

    def set_bar(self, mode: str, side: str, title: str, width: int) -> None:
        key = f"bars/{mode}/{side}"
        self.keep(key, title)
        self.keep(f"{key}_width", str(width))


def _users_store(parent: QObject) -> QSettings:
    """The user's settings; those kept under the program's former name are taken over."""
    title = "Tautpath"
    kind, scope = QSettings.Format.IniFormat, QSettings.Scope.UserScope
    former = Path(QSettings(kind, scope, former_name.TITLE, former_name.TITLE).fileName()).parent
    former_name.move_entries(former, former.with_name(title))
    return QSettings(kind, scope, title, title, parent)


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


def folder_of(path: Path) -> str:
    """A file's folder as `label_of` gives the file."""
    return button_text(shortened(str(path.parent)))


class DisplayChoices(QObject):
    """One value for each name in `VALUES`."""

    changed = Signal(str)  # the choice of that name has another value

    def __init__(self, settings: Settings | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self._settings = settings
        self._chosen = {name: values[0] for name, values in VALUES.items()}
        if settings is not None:
            kept = {name: settings.text(f"display/{name}") for name in VALUES}
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
                self._settings.keep(f"display/{name}", value)
            self.changed.emit(name)
