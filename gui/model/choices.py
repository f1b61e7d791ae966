"""The ticked variants, the values that the user has given to parameters, and the plan of trials of the next run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from solvers.core.variant import all_variants, find_variant
from solvers.running.request import ADAPTIVE, Choice, MeasurementPlan


class Choices(QObject):
    """What Run is to run.

    Signals
    -------
    changed()
        The set of ticked variants or a parameter changed.
    plan_changed()
        The number of warm-ups or trials, or the time limit, of the next run changed.
    variants_changed()
        Variants of the user's own were added, replaced or removed.
    """

    changed = Signal()
    variants_changed = Signal()
    plan_changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._chosen: set[str] = set()
        self._lent: set[str] = set()
        self._own: set[str] | None = None  # the ticks before those lent
        self._parameters: dict[str, dict[str, object]] = {}
        self._plan = ADAPTIVE

    def own_changed(self) -> None:
        """Have all views follow changes of the user's own variants."""
        self.variants_changed.emit()
        self.changed.emit()

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the ticked variants, in the order of the catalogue."""
        return tuple(variant.id for variant in all_variants() if variant.id in self._chosen)

    def is_chosen(self, variant_id: str) -> bool:
        return variant_id in self._chosen

    def choose(self, variant_id: str, chosen: bool = True) -> None:
        """Tick or untick a variant."""
        self.choose_only(self._chosen | {variant_id} if chosen else self._chosen - {variant_id})

    def choose_only(self, variant_ids: Iterable[str]) -> None:
        """Tick these variants and no others, with one signal for all."""
        before, self._chosen = self._chosen, set(variant_ids)
        if self._chosen != before:
            self.changed.emit()

    def lend(self, variant_ids: Iterable[str]) -> None:
        """Tick these variants for the open graph only, as a sample does."""
        self._own = self._chosen if self._own is None else self._own
        self._lent = set(variant_ids)
        self.choose_only(self._lent)

    def end_loan(self) -> None:
        """Tick again what was ticked before `lend`, unless other variants were ticked since."""
        own = self.lasting_ids
        self._own = None
        self.choose_only(own)

    @property
    def lasting_ids(self) -> tuple[str, ...]:
        """As `ids`, but those before `lend` while what it ticked is unchanged."""
        lasting = self._chosen if self._own is None or self._chosen != self._lent else self._own
        return tuple(variant.id for variant in all_variants() if variant.id in lasting)

    def choose_lasting(self, variant_ids: Iterable[str]) -> None:
        """Tick these variants and no others, behind those that were lent."""
        if self._own is None:
            self.choose_only(variant_ids)
        else:
            self._own = set(variant_ids)

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
        self.changed.emit()

    def for_run(self) -> tuple[Choice, ...]:
        """The ticked variants with their parameters."""
        return tuple(Choice(find_variant(i), self.parameters(i)) for i in self.ids)

    @property
    def plan(self) -> MeasurementPlan:
        """Warm-ups, trials and time limit of the next run."""
        return self._plan

    def set_plan(self, plan: MeasurementPlan) -> None:
        if plan != self._plan:
            self._plan = plan
            self.plan_changed.emit()
