"""Colours as people see them: Oklab, and simulated colour blindness. Shares no code
with the program.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Of linear sRGB, for complete blindness of one kind of cone: Machado, Oliveira and
# Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# IEEE TVCG 15 (6), 2009, severity 1.0.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# Björn Ottosson, "A perceptual color space for image processing", 2020: linear sRGB to
# cones, and cones to Oklab.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def channels(*colours: str) -> NDArray[np.float64]:
    """(k, 3) floats in 0..255 of colours as "#RRGGBB"."""
    return np.array(
        [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours], dtype=np.float64
    )


def oklab(colours: NDArray[np.float64], vision: str = "normal") -> NDArray[np.float64]:
    """(k, 3) lightness, a and b of (k, 3) sRGB colours in 0..255, as seen with ``vision``."""
    share = colours / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ VISION[vision].T, 0.0, 1.0)
    lab: NDArray[np.float64] = np.cbrt(seen @ _CONES.T) @ _LAB.T
    return lab


def apart(some: NDArray[np.float64], others: NDArray[np.float64], vision: str = "normal") -> float:
    """The least difference in Oklab of a colour of one set and one of another; about
    0.02 can just be seen.
    """
    one, other = oklab(some, vision), oklab(others, vision)
    return float(np.linalg.norm(one[:, None] - other[None], axis=2).min())


def contrast(one: str, other: str) -> float:
    """Ratio of the luminances of two colours, as of WCAG 2: 1 to 21."""
    share = channels(one, other) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    low, high = sorted((linear @ (0.2126, 0.7152, 0.0722)).tolist())
    return float((high + 0.05) / (low + 0.05))
