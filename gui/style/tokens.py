"""Colour of every role in the light and the dark scheme. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scheme(Enum):
    """Colour scheme chosen by the user; SYSTEM follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Tokens:
    """Colour of every role, as #RRGGBB. Widgets use roles, never literal colours.

    On the canvas, the ramp of distances (`gui.picture.scene.ramps`) is cool, and everything that marks single things on
    it (frontier, path, source, target) is warm; roads and canvas lie beyond the ramp's range of lightness. So colours
    of different meaning also differ for people who cannot tell red from green, or blue from yellow.
    """

    dark: bool
    window: str
    panel: str
    raised: str
    border: str
    outline: str  # of text fields: contrasts with what is around them as WCAG 2.2 asks of controls
    text: str
    muted: str
    accent: str
    accent_text: str
    selection: str
    canvas: str
    edge: str
    edge_dense: str
    road: str
    road_dense: str
    frontier: str
    trail: str
    path: str
    halo: str
    source: str
    target: str
    cycle: str
    good: str
    bad: str
    warning: str
    grid: str


LIGHT = Tokens(
    dark=False, window="#F3F3F0", panel="#FFFFFF", raised="#FAFAF8", border="#D5D7DA", outline="#7F8891",
    text="#1D2126", muted="#5F6872", accent="#0072B2", accent_text="#FFFFFF", selection="#D6E8F4", canvas="#FAFAF8",
    edge="#9AA3AD", edge_dense="#59626C", road="#C3C9CF", road_dense="#ABB3BB", frontier="#C8102E", trail="#F08A5D",
    path="#E05A00", halo="#FFFFFF", source="#768B09", target="#C32777", cycle="#8E24AA", good="#007F5C", bad="#C04F00",
    warning="#8A6100", grid="#E4E6E8",
)  # fmt: skip

DARK = Tokens(
    dark=True, window="#1C2025", panel="#23282E", raised="#2A3037", border="#3A424B", outline="#76828E",
    text="#E6E9EC", muted="#9BA5B0", accent="#56B4E9", accent_text="#0D1115", selection="#27455A", canvas="#15181C",
    edge="#5B6570", edge_dense="#B4BEC9", road="#424C57", road_dense="#525D69", frontier="#FFC46B", trail="#E2541B",
    path="#FF8A3D", halo="#000000", source="#CCF04B", target="#FD5A99", cycle="#D08CFF", good="#2CC79A", bad="#F0803C",
    warning="#E8B93A", grid="#31383F",
)  # fmt: skip
