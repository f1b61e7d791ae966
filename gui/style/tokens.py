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
    """Colour of every role, as #RRGGBB. Widgets use roles, never literal colours."""

    dark: bool
    window: str
    panel: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    accent_text: str
    selection: str
    canvas: str
    edge: str
    edge_dense: str
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
    dark=False, window="#F3F3F0", panel="#FFFFFF", raised="#FAFAF8", border="#D5D7DA", text="#1D2126", muted="#5F6872",
    accent="#0072B2", accent_text="#FFFFFF", selection="#D6E8F4", canvas="#FAFAF8", edge="#9AA3AD",
    edge_dense="#59626C", frontier="#0072B2", trail="#7FB8D8", path="#D55E00", halo="#FFFFFF",
    source="#009E73", target="#CC79A7", cycle="#A8174B", good="#007F5C", bad="#C04F00",
    warning="#8A6100", grid="#E4E6E8",
)  # fmt: skip

DARK = Tokens(
    dark=True, window="#1C2025", panel="#23282E", raised="#2A3037", border="#3A424B", text="#E6E9EC", muted="#9BA5B0",
    accent="#56B4E9", accent_text="#0D1115", selection="#27455A", canvas="#15181C", edge="#5B6570",
    edge_dense="#B4BEC9", frontier="#56B4E9", trail="#2E6A8C", path="#E69F00", halo="#000000",
    source="#2CC79A", target="#E29BC4", cycle="#FF6E8E", good="#2CC79A", bad="#F0803C",
    warning="#E8B93A", grid="#31383F",
)  # fmt: skip
