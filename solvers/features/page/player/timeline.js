// The moments of the scrub bar: every kept iteration of any run, or the times at which they end.

import { lastUpTo } from "./model.js";

const UNEVEN = 20; // times as many iterations as another run: in lock step most of the bar is its

/** Moments of some runs with traces, in lock step or by time. */
export class Timeline {
  constructor(runs, byTime) {
    this.byTime = byTime;
    const moments = new Set(runs.flatMap(run => Array.from(this.timesOf(run))));
    this.moments = moments.size ? Float64Array.from(moments).sort() : Float64Array.of(0);
  }

  /** Whether runs are better compared by time. */
  static isUneven(runs) {
    const lengths = runs.map(run => run.length);
    return Math.max(...lengths) > UNEVEN * Math.min(...lengths);
  }

  /** The number of the last moment. */
  get last() {
    return this.moments.length - 1;
  }

  /** When each kept iteration of a run ends, on this line. */
  timesOf(run) {
    return this.byTime ? run.ends : run.positions;
  }

  /** Where a time is on the bar, 0 to 1. */
  share(time) {
    const [low, high] = [this.moments[0], this.moments[this.last]];
    return high > low ? (time - low) / (high - low) : 1;
  }

  /** The moment nearest to a place of the bar. */
  nearest(share) {
    const [low, high] = [this.moments[0], this.moments[this.last]];
    const wanted = low + share * (high - low);
    const after = this.firstFrom(wanted);
    const isBeforeNearer =
      after > 0 && wanted - this.moments[after - 1] < this.moments[after] - wanted;
    return isBeforeNearer ? after - 1 : after;
  }

  /** The first moment at or after a time; the first of all if there is none. */
  firstFrom(time) {
    return Math.max(
      0,
      this.moments.findIndex(moment => moment >= time),
    );
  }

  /** The step of a run that is shown at a moment; -1 before its first. */
  step(run, moment) {
    return lastUpTo(this.timesOf(run), this.moments[moment]);
  }
}
