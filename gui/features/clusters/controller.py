"""Run > Hosts: connect to a cluster, and show its workers while the dialog is open."""

from __future__ import annotations

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from gui.features.clusters.dialog import HostsDialog
from gui.features.clusters.link import ClusterLink, ClusterStatus, LinkState
from gui.model.notice import Notice
from gui.model.session import Session
from gui.model.settings import Settings
from solvers.errors import TautpathError
from solvers.features.clusters.address import parse_address
from solvers.features.clusters.connection import ClusterOptions
from solvers.system.quiet import Quiet


class HostsController(QObject):
    """Handles Run > Hosts. The connection stays when the dialog is closed."""

    def __init__(self, session: Session, quiet: Quiet, settings: Settings, window: QWidget):
        super().__init__(window)
        self._session, self._settings, self._window = session, settings, window
        self.link = link = ClusterLink(session.window, quiet, self)
        self._dialog: HostsDialog | None = None
        self._told: set[str] = set()
        link.changed.connect(self._show_state)
        link.seen.connect(self._show_status)

    def show(self) -> HostsDialog:
        """Open the dialog, or bring it to the front."""
        if self._dialog is None:
            dialog = self._dialog = HostsDialog(self._settings.cluster_addresses, self._window)
            dialog.connect_requested.connect(self._connect)
            dialog.disconnect_requested.connect(self.link.disconnect_from)
            dialog.dashboard_requested.connect(self._open_dashboard)
            self._show_state()
            if self.link.status is not None:
                dialog.show_status(self.link.status)
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        return self._dialog

    def connect_to(self, address: str) -> None:
        """Connect to a cluster; the state of the link says what comes of it.

        Raises UnknownName, InputError if the address is none.
        """
        self._told.clear()
        self.link.connect_to(ClusterOptions(parse_address(address)))

    def is_connected_to(self, address: str) -> bool:
        """Whether the window is connected to that cluster. Raises UnknownName,
        InputError if the address is none.
        """
        wanted, options = parse_address(address), self.link.options
        return (
            self.link.connection is not None and options is not None and options.address == wanted
        )

    def is_connecting_to(self, address: str) -> bool:
        """Whether the window is about to be connected to that cluster."""
        options = self.link.options
        return (
            self.link.state is LinkState.CONNECTING
            and options is not None
            and options.address == parse_address(address)
        )

    def _connect(self, address: str) -> None:
        """As `connect_to`; what is wrong with the address is said in the dialog."""
        try:
            self.connect_to(address)
        except TautpathError as error:
            self.show().show_state(LinkState.FAILED, str(error))

    def shut_down(self, timeout_s: float) -> None:
        """Leave the cluster when the window closes."""
        self.link.shut_down(timeout_s)

    def _show_state(self) -> None:
        link, dialog = self.link, self._dialog
        problem = "" if link.problem is None else Notice.of(link.problem).text
        if link.state is LinkState.CONNECTED and link.options is not None:
            self._settings.remember_cluster(link.options.address.text)
        if dialog is not None:
            dialog.show_state(link.state, problem)
        if link.problem is not None and (
            link.state is LinkState.LOST or dialog is None or not dialog.isVisible()
        ):
            self._session.notice_error(link.problem)

    def _show_status(self, status: ClusterStatus) -> None:
        if self._dialog is not None and self._dialog.isVisible():
            self._dialog.show_status(status)
        for worker in status.slow:
            if worker.address not in self._told:
                self._told.add(worker.address)
                text = f"Worker {worker.address} on {worker.host}: {status.remark(worker)}"
                self._session.warn(text)

    def _open_dashboard(self) -> None:
        if self.link.status is not None and self.link.status.dashboard:
            QDesktopServices.openUrl(QUrl(self.link.status.dashboard))
