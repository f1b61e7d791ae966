"""Types of NumPy's arrays, as compiled functions take them.

They have short names: a function takes many arrays, and its signature is read as one line.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]
Bools: TypeAlias = NDArray[np.bool_]
Complexes: TypeAlias = NDArray[np.complex128]
Float32s: TypeAlias = NDArray[np.float32]
Float64s: TypeAlias = NDArray[np.float64]
Int8s: TypeAlias = NDArray[np.int8]
Int16s: TypeAlias = NDArray[np.int16]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
UInt8s: TypeAlias = NDArray[np.uint8]
UInt16s: TypeAlias = NDArray[np.uint16]
UInt32s: TypeAlias = NDArray[np.uint32]
UInt64s: TypeAlias = NDArray[np.uint64]


def read_only(array: AnyArray) -> AnyArray:
    """A view that is not writable: functions are compiled once more for arrays that are."""
    view = array.view()
    view.flags.writeable = False
    return view
