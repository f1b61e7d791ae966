"""Sizes of vertices by degree, for graphs with hubs, such as social networks. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HUB = 8.0  # greatest degree relative to the mean, from which sizes show something; roads have less
LEAST_VERTICES = 30
_SIZES = (0.45, 12.0)  # radius relative to that of a vertex of mean degree, least and greatest
NO_SIZES = np.empty(0, np.float32)


def vertex_sizes(ends: NDArray[np.int32], n: int) -> NDArray[np.float32]:
    """Radius of each vertex relative to one of mean degree: areas are proportional to degrees.

    Parameters
    ----------
    ends : (e, 2) int32
        Ends of the edges, each edge once.
    n : int
        Number of vertices.

    Returns
    -------
    (n,) float32, or (0,) if degrees hardly differ
    """
    if n < LEAST_VERTICES or not len(ends):
        return NO_SIZES
    degrees = np.bincount(ends.reshape(-1), minlength=n)
    mean = 2.0 * len(ends) / int(np.count_nonzero(degrees))
    if float(degrees.max()) < HUB * mean:
        return NO_SIZES
    return np.clip(np.sqrt(degrees / mean), *_SIZES).astype(np.float32)
