"""Type checks of kernel arguments against the kernel's declaration.

Drivers do not check types: a Python ``3`` for an ``index_t``, or a buffer of another element type, causes wrong results
instead of an error. The parameters are parsed from the kernel's text, so that both launchers apply the same checks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.graphs.weights import WEIGHT_TYPES

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENTRY = re.compile(r"\bKERNEL\s+void\s+(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)")
_CONST_IN = re.compile(r"CONST_IN\(([^)]*)\)")
_STRUCT = re.compile(r"\btypedef\s+struct\s*\{([^{}]*)\}\s*(\w+)\s*;")
_QUALIFIERS = re.compile(r"\b(?:GLOBAL|const|volatile|restrict|__restrict__|signed)\b")

_DTYPES: dict[str, np.dtype[Any]] = {
    "char": np.dtype(np.int8),
    "unsigned char": np.dtype(np.uint8),
    "short": np.dtype(np.int16),
    "unsigned short": np.dtype(np.uint16),
    "int": np.dtype(np.int32),
    "unsigned int": np.dtype(np.uint32),
    "index_t": np.dtype(np.int64),
    "unsigned_index_t": np.dtype(np.uint64),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}


@dataclass(frozen=True)
class KernelParameter:
    """One parameter of a kernel.

    Attributes
    ----------
    spelled : str
        Text of the declaration.
    dtype : numpy.dtype or None
        Element type; None for a type defined by the kernel, which is not checked.
    is_pointer : bool
    """

    spelled: str
    dtype: np.dtype[Any] | None
    is_pointer: bool


def declared_parameters(text: str, defines: Mapping[str, int | str]) -> dict[str, tuple[KernelParameter, ...]]:
    """The parameters of each entry point in a kernel's text, by name of the entry point.

    Entry points with preprocessor lines between their parameters are omitted, so they are not checked.
    """
    text = _COMMENT.sub(" ", text)
    distance = next((kind.dtype for kind in WEIGHT_TYPES.values() if kind.define in defines), None)
    known = _DTYPES | ({"dist_t": distance} if distance is not None else {})
    known |= _structures(text, known)
    entries = _ENTRY.findall(text)
    return {
        name: tuple(_parameter(spelled, known) for spelled in inside.split(",") if spelled.strip())
        for name, inside in entries
        if "#" not in inside
    }


def _structures(text: str, known: Mapping[str, np.dtype[Any]]) -> dict[str, np.dtype[Any]]:
    """The structures whose members are all scalars of known types, laid out as a C compiler does."""
    found = {}
    for body, name in _STRUCT.findall(text):
        members = [" ".join(member.split()) for member in body.split(";") if member.strip()]
        pairs = [member.rpartition(" ")[::2] for member in members]
        if all(type_name in known and field.isidentifier() for type_name, field in pairs):
            found[name] = np.dtype([(field, known[type_name]) for type_name, field in pairs], align=True)
    return found


def _parameter(spelled: str, known: Mapping[str, np.dtype[Any]]) -> KernelParameter:
    spelled = " ".join(spelled.split())
    plain = _QUALIFIERS.sub(" ", _CONST_IN.sub(r"\1 *", spelled))
    type_name = " ".join(re.split(r"[\s*]+", plain.strip())[:-1])  # the last word is the parameter's name
    return KernelParameter(spelled, known.get(type_name), "*" in plain)


class ArgumentCheck:
    """Checks the arguments of every launch of one kernel; accepted combinations of types are cached.

    Parameters
    ----------
    kernel : str
    declared : tuple of KernelParameter, or None
        None if unknown: then only plain Python numbers are refused.
    buffer_type : type
        The device's buffer class.
    """

    def __init__(self, kernel: str, declared: tuple[KernelParameter, ...] | None, buffer_type: type):
        self._kernel = kernel
        self._declared = declared
        self._buffer_type = buffer_type
        self._approved: set[tuple[object, ...]] = set()

    def __call__(self, arguments: Sequence[Any]) -> None:
        """Check ``arguments``.

        Raises
        ------
        TypeError
            If an argument does not match; names the kernel, the position and the declaration.
        """
        types = tuple([(type(a), getattr(a, "dtype", None)) for a in arguments])
        if types not in self._approved:  # cached, because a launch itself takes only microseconds
            self._refuse_plain_numbers(arguments)
            self._compare(arguments)
            self._approved.add(types)

    def _refuse_plain_numbers(self, arguments: Sequence[Any]) -> None:
        for position, argument in enumerate(arguments):
            structure = isinstance(argument, np.ndarray) and argument.shape == () and argument.dtype.names
            if not (structure or isinstance(argument, (self._buffer_type, np.generic))):
                raise TypeError(
                    f"argument {position} of kernel {self._kernel} is a Python {type(argument).__name__}: pass a "
                    "buffer of the same device, a NumPy scalar of exactly the parameter's type, such as np.int32(3), "
                    "or, for a structure passed by value, a structured array with no dimensions"
                )

    def _compare(self, arguments: Sequence[Any]) -> None:
        if self._declared is None:
            return
        if len(self._declared) != len(arguments):
            raise TypeError(f"kernel {self._kernel} takes {len(self._declared)} arguments, {len(arguments)} were given")
        for position, (parameter, argument) in enumerate(zip(self._declared, arguments, strict=True)):
            is_buffer = isinstance(argument, self._buffer_type)
            if is_buffer != parameter.is_pointer or parameter.dtype not in (None, argument.dtype):
                given = f"a {'buffer' if is_buffer else 'scalar'} of {argument.dtype}"
                raise TypeError(
                    f"argument {position} of kernel {self._kernel} is {given}; it declares “{parameter.spelled}”"
                )
