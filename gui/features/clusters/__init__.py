"""Run > Hosts: connects to clusters, and shows their workers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gui.contributions import Contribution, WindowActs
from gui.parts import WindowComponents

if TYPE_CHECKING:
    from gui.features.clusters.controller import HostsController

_SHUT_DOWN_S = 2.0


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """A row that shows the hosts; features that need them have the controller connect."""

    @cache
    def controller() -> HostsController:
        from gui.features.clusters.controller import HostsController

        return HostsController(parts.session, parts.jobs.quiet, parts.settings, parts.window)

    def end() -> None:
        if controller.cache_info().currsize:
            controller().shut_down(_SHUT_DOWN_S)

    return Contribution(acts={"hosts": lambda: controller().show()}, controller=controller, end=end)
