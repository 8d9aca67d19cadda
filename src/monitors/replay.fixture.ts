import { Series } from '../rollups/index.js';
import { type Definition, HOUR, stepOf, MINUTE, WEEK } from './definition.js';
import { judge, type Verdict } from './judge.js';
import { decide, type OpenAlert } from './play.js';

export type Random = () => number;

/** Mulberry32: the same seed gives the same numbers. */
export function randomNumbers(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export const DEFINITION: Definition = {
  source: 'requests',
  measure: 'failed_share',
  percentile: null,
  score: null,
  filterGroup: null,
  q: null,
  origin: 'application',
  by: null,
  windowMinutes: 60,
  rule: { kind: 'usual', direction: 'either', weeks: 4, falseAlarmsPerWeek: 0.1, leastChange: 0 },
  leastItems: 20,
  noData: 'keep',
  closesAfterMinutes: 60,
  repeatHours: null,
};

/** Items of one hour. */
export interface Hour {
  items: number;
  failed?: number;
  cost?: number;
  tokens?: number;
  values?: number[];
}

/**
 * Replays `hours` hours after the earlier weeks of the rule. Hours count from the first evaluated one and are negative before.
 * Returns the alerts that were opened, by the hour.
 */
export function replay(
  definition: Definition,
  hours: number,
  of: (at: number) => Hour,
): { opened: number[]; verdicts: Verdict[] } {
  const series = new Series();
  const before = definition.rule.kind === 'usual' ? definition.rule.weeks * (WEEK / HOUR) + 24 : 0;
  const start = 3000 * WEEK;
  for (let at = -before; at < hours; at++) {
    const { items, failed = 0, cost = 0, tokens = 0, values = [] } = of(at);
    const sums = series.at(start + at * HOUR);
    sums.addNumbers({ items, failed, cost, tokens });
    for (const value of values) sums.addClass(value, 1);
  }
  return play(definition, series, { from: start, to: start + hours * HOUR });
}

function play(definition: Definition, series: Series, { from, to }: { from: number; to: number }) {
  let alert: OpenAlert | null = null;
  const opened: number[] = [];
  const verdicts: Verdict[] = [];
  for (let at = from + HOUR; at <= to; at += Math.max(HOUR, stepOf(definition) * MINUTE)) {
    const verdict = judge(definition, series, at);
    verdicts.push(verdict);
    const change = decide(definition, alert, verdict);
    if (change.kind === 'open') opened.push((at - from) / HOUR);
    alert = change.kind === 'open' || change.kind === 'keep' ? change.alert : change.kind === 'close' ? null : alert;
  }
  return { opened, verdicts };
}

/** Draws the number of successes among `items` trials with the probability `part`. */
export function binomial(items: number, part: number, random: Random): number {
  let count = 0;
  for (let at = 0; at < items; at++) if (random() < part) count++;
  return count;
}
