"""Choices for files that hold a road network with its rules, as OpenStreetMap extracts do."""

from __future__ import annotations

from dataclasses import dataclass

PROFILES = ("car", "bicycle", "foot")


@dataclass(frozen=True)
class NetworkOptions:
    """Choices for OpenStreetMap extracts; other formats have no use for them.

    Attributes
    ----------
    profile : str
        Who travels: one of `PROFILES`; "" where nobody was asked, which is a car.
    largest_part : bool
        Leave out what is not connected with the largest part.
    """

    profile: str = ""
    largest_part: bool = False
