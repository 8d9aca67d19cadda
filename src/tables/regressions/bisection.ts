/** The result of comparing a version with the good one: `unscored` where no row has a score in both. */
export type Outcome = 'held' | 'fell' | 'unscored';

/** A search for the first version that fell. `good` is older than `bad`. */
export interface Search {
  good: number;
  bad: number;
  /** Known outcomes, by version. */
  known: ReadonlyMap<number, Outcome>;
}

/** The next version to score, or the result: where the score fell, or null when the ends do not differ. */
export type NextStep = { version: number } | { found: FirstFall | null };

export interface FirstFall {
  /** The newest version before the fall that held. */
  lastGood: number;
  firstBad: number;
  /** Versions between the two without a score: the fall may be in one of them. */
  skipped: number[];
}

/**
 * Chooses the two ends first, then always the middle of the remaining versions. A version without a score is skipped,
 * and its neighbours are used instead. Where the score fell and rose again, this finds one of the falls: a version that
 * fell after one that held.
 */
export function nextStep({ good, bad, known }: Search): NextStep {
  if (!known.has(good)) return { version: good };
  if (!known.has(bad)) return { version: bad };
  if (known.get(good) !== 'held' || known.get(bad) !== 'fell') return { found: null };
  const unscored = [...known].filter(([, outcome]) => outcome === 'unscored').map(([version]) => version);
  let [lastGood, firstBad] = [good, bad];
  for (;;) {
    const skipped = unscored.filter((version) => version > lastGood && version < firstBad).toSorted((a, b) => a - b);
    const left = firstBad - lastGood - 1 - skipped.length;
    if (left === 0) return { found: { lastGood, firstBad, skipped } };
    const version = nthWithout(lastGood + 1, Math.floor((left - 1) / 2), skipped);
    const outcome = known.get(version);
    if (outcome === undefined) return { version };
    if (outcome === 'fell') firstBad = version;
    else lastGood = version;
  }
}

/**
 * The version with a number of versions before it, counted from the first without the skipped ones, which are sorted.
 */
function nthWithout(first: number, before: number, left: number[]): number {
  let version = first + before;
  for (const each of left) if (each <= version) version++;
  return version;
}
