"""Devices for kernels, discovered in a job so that slow drivers do not delay start-up."""

from __future__ import annotations

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
        """Use one, and tell of all, in turns of their own: both change and paint much."""
        self._list = found
        self._session.window.later(self._use_wanted)
        self._session.window.later(self._tell)

    def _use_wanted(self) -> None:
        found = {device.key: device for device in self._list.devices}
        best = next(iter(found.values()), None)
        self._session.set_device(found.get(self._settings.device_key, best))

    def _tell(self) -> None:
        self._known = True
        self.found.emit(self._list)
