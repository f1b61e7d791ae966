"""What earlier runs took on this machine or such processors, for estimates."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection

from solvers.devices.device import kind_of_driver
from solvers.errors import StoreUnavailable
from solvers.running.estimate import EarlierTime
from solvers.running.store.run_store import RunStore, understood
from solvers.system import machine

log = logging.getLogger(__name__)

_MOST = 500  # the newest: the machine, its drivers and the program change


def earlier_times(store: RunStore, variant_ids: Collection[str], cpu: str = "") -> tuple[EarlierTime, ...]:
    """Times of these variants on a processor, newest first; none if the store cannot be read.

    Parameters
    ----------
    store : RunStore
    variant_ids : collection of str
    cpu : str
        Name of the processor; "" for that of this machine.
    """
    marks = ", ".join("?" for _ in variant_ids)
    found: list[tuple[str, EarlierTime]] = []
    for file in store.files():
        try:
            with file.reading() as connection, understood(file):
                rows = connection.execute(
                    "SELECT variants.started_utc, variant, parameters, vertices, arcs, device, median_ms, driver "
                    "FROM variants JOIN runs USING (run_id) "
                    "WHERE median_ms IS NOT NULL AND graph_upload_ms IS NULL AND deleted_utc IS NULL AND cpu = ? "
                    f"AND variant IN ({marks}) "
                    "ORDER BY variants.started_utc DESC LIMIT ?",
                    (cpu or machine.cpu_name(), *variant_ids, _MOST),
                ).fetchall()
                found += [
                    (began, EarlierTime(name, json.loads(given), n, m, device, ms, device_kind=kind_of_driver(driver)))
                    for began, name, given, n, m, device, ms, driver in rows
                ]
        except StoreUnavailable as error:
            log.info("earlier times are not known: %s", error)
    return tuple(time for _, time in sorted(found, key=lambda pair: pair[0], reverse=True)[:_MOST])
