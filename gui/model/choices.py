"""The ticked variants, and the values that the user has given to parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from solvers.core.variant import all_variants, find_variant
from solvers.running.request import Choice


class VariantChoices:
    """What is ticked and set; methods that change something return whether they did."""

    def __init__(self) -> None:
        self._chosen: set[str] = set()
        self._parameters: dict[str, dict[str, object]] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the ticked variants, in the order of the catalogue."""
        return tuple(variant.id for variant in all_variants() if variant.id in self._chosen)

    def __contains__(self, variant_id: object) -> bool:
        return variant_id in self._chosen

    def choose(self, variant_id: str, chosen: bool) -> bool:
        """Tick or untick a variant."""
        return self.choose_only(self._chosen | {variant_id} if chosen else self._chosen - {variant_id})

    def choose_only(self, variant_ids: Iterable[str]) -> bool:
        """Tick these variants and no others."""
        before, self._chosen = self._chosen, set(variant_ids)
        return self._chosen != before

    def parameters(self, variant_id: str) -> Mapping[str, Any]:
        """The variant's parameters: the defaults, overridden by the user's values."""
        return find_variant(variant_id).settle(self._parameters.get(variant_id, {}))

    def set_parameter(self, variant_id: str, name: str, value: object) -> None:
        """Set one parameter.

        Raises
        ------
        ParameterError, UnknownName
        """
        proposed = {**self._parameters.get(variant_id, {}), name: value}
        find_variant(variant_id).settle(proposed)
        self._parameters[variant_id] = proposed

    def for_run(self) -> tuple[Choice, ...]:
        """The ticked variants with their parameters."""
        return tuple(Choice(find_variant(i), self.parameters(i)) for i in self.ids)
