"""The sentence above the results: which variant is the fastest, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from solvers.core.result import Result
from solvers.core.result_view import Proof, ResultView, faster_words, newest_run, obstacle
from solvers.core.samples import Ratio, ratio_of_medians
from solvers.core.variant import Variant
from solvers.running.answers.answer import PathAnswer


@dataclass(frozen=True)
class Fastest:
    """The fastest right answer, and what it was compared with."""

    result: Result
    phase: str
    rival: Result | None = None  # None if there is nothing to compare with
    ratio: Ratio | None = None  # the rival's median divided by its own; None if one is 0

    @property
    def variant(self) -> Variant:
        return self.result.variant

    @property
    def is_uncertain(self) -> bool:
        """Whether disturbed times or few trials leave open which of the two is faster."""
        return self.ratio is not None and bool(self.ratio.doubts) and not self.ratio.differs

    def headline(self, title: Callable[[Variant], str] = lambda one: one.full_title) -> str:
        """ "Near-far: 16 times faster (14 to 18) than Bellman-Ford edge + flags"; before it,
        that the target cannot be reached.
        """
        return " ".join(filter(None, (self.unreachable, self._comparison(title))))

    @property
    def unreachable(self) -> str:
        """A sentence; "" where there is a path, or no target."""
        answer = PathAnswer.of_result(self.result)
        if answer is None or not math.isinf(answer.length):
            return ""
        source, target = map(answer.graph.vertex_label, (answer.source, answer.target))
        return f"{target} cannot be reached from {source}."

    def _comparison(self, title: Callable[[Variant], str]) -> str:
        own = title(self.variant)
        if self.rival is None or self.ratio is None:
            return own
        other = title(self.rival.variant)
        if self.is_uncertain:
            return f"Uncertain whether {own} is faster than {other}"
        if not self.ratio.differs:
            return f"{own} and {other}: no difference shown"
        return f"{own}: {faster_words(self.ratio)} than {other}"

    @property
    def remark(self) -> str:
        """ "2.31 ms, proved, at 08:00; times disturbed": `evidence` and `doubts`."""
        return "; ".join((self.evidence, *self.doubts))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What makes the comparison, or the time alone, less certain."""
        if self.ratio is not None:
            return self.ratio.doubts
        return tuple(filter(None, (ResultView(self.result, self.phase).doubt,)))

    @property
    def evidence(self) -> str:
        """ "2.31 ms, proved, at 08:00": its time, its proof, and the hour by which roads are
        weighed; where the comparison is open, "2.31 ms against 2.50 ms, both proved".
        """
        told = [self.result]
        if self.is_uncertain and self.rival is not None:
            told.append(self.rival)
        views = [ResultView(result, self.phase) for result in told]
        times = " against ".join(filter(None, (view.median_text for view in views)))
        proofs = " and ".join(dict.fromkeys(view.proof.value for view in views))
        if len(views) > 1 and proofs == Proof.PROVED.value:
            proofs = f"both {proofs}"
        at = self.result.graph.overlay.at_hour.strip()
        return ", ".join(filter(None, (times, proofs, at)))

    @property
    def is_proved(self) -> bool:
        return ResultView(self.result).proof in (Proof.PROVED, Proof.SAMPLED)

    def sentence(self) -> str:
        """Headline and remark, for a line of text."""
        return f"{self.headline()}; {self.remark}."


def fastest(results: Sequence[Result], baseline: Result | None, phase: str) -> Fastest | None:
    """The fastest right answer, compared with the baseline or, if it is the baseline,
    with the next fastest.

    None without a timed answer. Only right answers of the newest run and to the baseline's
    question compete, and times that contain copies of different things are not compared.
    """
    newest = newest_run(results)
    alike = [
        one
        for one in results
        if one.run_id == newest
        and ResultView(one).is_right
        and (baseline is None or obstacle(one, baseline) in ("", "other copies", "no right answer"))
    ]
    timed = [(ms, one) for one in alike if (ms := ResultView(one, phase).median) is not None]
    if not timed:
        return None
    timed.sort(key=lambda pair: pair[0])
    best = timed[0][1]
    rivals = [one for _, one in timed[1:] if not obstacle(one, best, phase)]
    rival = next((one for one in rivals if one is baseline), rivals[0] if rivals else None)
    own = ResultView(best, phase).sample
    other = None if rival is None else ResultView(rival, phase).sample
    ratio = None if own is None or other is None else ratio_of_medians(own, other)
    return Fastest(best, phase, rival, ratio)
