"""Devices for kernels, discovered in a job so that slow drivers do not delay start-up."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from gui.model.jobs import JobKind, Jobs
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.devices import DeviceList, discover, rediscover


class Devices(QObject):
    """The devices of this machine, and the one the session uses."""

    found = Signal(object)  # DeviceList: discovery ended

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, parent: QObject):
        super().__init__(parent)
        self._session, self._jobs, self._settings = session, jobs, settings
        self._list = DeviceList(())
        self._known = False

    @property
    def list(self) -> DeviceList:
        return self._list

    @property
    def known(self) -> bool:
        """True once discovery has ended."""
        return self._known

    def discover(self, *, again: bool = False) -> None:
        """Search for devices in a job; ``again`` queries the drivers again."""
        look = rediscover if again else discover
        self._jobs.start(
            JobKind.DEVICES,
            "Searching for devices",
            lambda _: look(),
            on_success=self._take,
            on_failure=self._session.notice_error,
        )

    def use(self, key: str) -> None:
        self._session.set_device(next((d for d in self._list.devices if d.key == key), None))
        self._settings.device_key = key

    def _take(self, found: DeviceList) -> None:
        self._list = found
        keys = [d.key for d in found.devices]
        wanted = self._settings.device_key
        best = wanted if wanted in keys else next(iter(keys), "")
        self._session.set_device(next((d for d in found.devices if d.key == best), None))
        # in a turn of its own: both change and paint much
        self._session.window.later(partial(self._tell, found))

    def _tell(self, found: DeviceList) -> None:
        self._known = True
        self.found.emit(found)
