"""The address of a cluster: a text such as ``local:2``, ``tcp://host:8786`` or
``slurm:4``, checked and parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from solvers.errors import InputError, UnknownName

BATCH_SYSTEMS = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "htcondor": "HTCondorCluster",
    "moab": "MoabCluster",
    "oar": "OARCluster",
}
"""Batch systems by their name on the command line, with their classes in dask-jobqueue."""

LOCAL = "local"
FORMS = "local[:WORKERS], tcp://HOST:PORT, tls://HOST:PORT, slurm[:JOBS] or another batch system"
SAFETY = (
    "Clusters that Tautpath starts accept no other user. A tcp:// scheduler has no passwords: "
    "whoever reaches it can run programs as its owner; use it only where you trust every user of "
    "the network and of the machines, else tls://, with the certificates that Dask's configuration "
    "names."
)
"""What is safe, for the help of options and for the window."""


@dataclass(frozen=True)
class ClusterAddress:
    # "local" for processes of this machine, "tcp" or "tls" for a running scheduler,
    # else a batch system
    kind: str
    where: str = ""  # address of the scheduler; "" for other kinds
    count: int = 0  # worker processes, or jobs; 0 lets the program choose

    @property
    def text(self) -> str:
        """The text from which `parse_address` makes this address."""
        return self.where or (f"{self.kind}:{self.count}" if self.count else self.kind)

    @property
    def is_batch(self) -> bool:
        return self.kind in BATCH_SYSTEMS


def parse_address(text: str) -> ClusterAddress:
    """The cluster that ``text`` names.

    Raises UnknownName if it has none of the forms; InputError if the number of workers
    is not a positive whole number, or a port is missing.
    """
    text = text.strip()
    if "://" in text:
        return _scheduler(text)
    kind, colon, number = text.partition(":")
    known = (LOCAL, *BATCH_SYSTEMS)
    if kind.lower() not in known:
        raise UnknownName("kind of cluster", kind, (*known, "tcp://", "tls://"))
    if not colon:
        return ClusterAddress(kind.lower())
    if not number.isascii() or not number.isdigit() or not int(number):
        raise InputError(
            f"“{text}”: after {kind}: a whole number of at least 1 is expected, such as {kind}:2."
        )
    return ClusterAddress(kind.lower(), count=int(number))


def _scheduler(text: str) -> ClusterAddress:
    kind, _, host_and_port = text.partition("://")
    if kind not in ("tcp", "tls"):
        raise UnknownName("protocol of a scheduler", f"{kind}://", ("tcp://", "tls://"))
    if not re.fullmatch(r"(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):\d{1,5}", host_and_port):
        raise InputError(
            f"“{text}” is not an address of a scheduler. "
            f"It has the form {kind}://HOST:PORT; 8786 is usual."
        )
    return ClusterAddress(kind, f"{kind}://{host_and_port}")
