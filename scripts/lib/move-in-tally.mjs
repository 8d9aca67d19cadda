/** Kinds that are counted. */
export const KINDS = {
  prompts: 'Prompts (versions)',
  datasets: 'Datasets (versions)',
  traces: 'Traces (spans)',
  calls: 'Calls',
};
/** Reasons often name one thing each; more of them would bury the numbers. */
const SHOWN_REASONS = 3;

/** Counts what became of everything, for the end of the move. */
export class Tally {
  counts = new Map(Object.keys(KINDS).map((kind) => [kind, { moved: 0, there: 0, reasons: new Map() }]));

  moved(kind, number = 1) {
    this.counts.get(kind).moved += number;
  }

  there(kind, number = 1) {
    this.counts.get(kind).there += number;
  }

  leftOut(kind, reason, number = 1) {
    const { reasons } = this.counts.get(kind);
    reasons.set(reason, (reasons.get(reason) ?? 0) + number);
  }

  /** One line for each of these kinds. */
  lines(kinds) {
    return kinds.map((kind) => {
      const { moved, there, reasons } = this.counts.get(kind);
      return `${KINDS[kind]}: ${moved} moved, ${there} there already, ${describe(reasons)}`;
    });
  }
}

/** "3 left out (2: it has no model; 1: it is not JSON)", the most frequent reason first. */
function describe(reasons) {
  const sorted = [...reasons].toSorted(([, one], [, other]) => other - one);
  const sum = (some) => some.reduce((total, [, number]) => total + number, 0);
  const shown = sorted.slice(0, SHOWN_REASONS).map(([reason, number]) => `${number}: ${reason}`);
  const others = sum(sorted.slice(SHOWN_REASONS));
  if (others > 0) shown.push(`${others}: other reasons`);
  return `${sum(sorted)} left out${shown.length > 0 ? ` (${shown.join('; ')})` : ''}.`;
}
