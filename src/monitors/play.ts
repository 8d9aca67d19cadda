import type { Definition } from './definition.js';
import type { Verdict } from './judge.js';

export const CAUSES = ['limit', 'usual', 'no_data'] as const;
/** Why an alert was opened. */
export type Cause = (typeof CAUSES)[number];

export const CLOSINGS = ['recovered', 'no_data', 'paused', 'changed', 'deleted'] as const;
/** Why an alert was closed. */
export type Closing = (typeof CLOSINGS)[number];

/** State of an open alert that decides when it closes. Times are milliseconds since 1970. */
export interface OpenAlert {
  cause: Cause;
  /** Start of the fine evaluations; null while the last one was not fine. */
  fineSince: number | null;
  /** Start of the time without items. */
  emptySince: number | null;
}

/** Change to the alert of a group after an evaluation. */
export type Change =
  | { kind: 'none' }
  | { kind: 'open'; alert: OpenAlert }
  | { kind: 'keep'; alert: OpenAlert }
  | { kind: 'close'; closing: Closing };

/** Alerts of a group without items close after this time. */
const FORGOTTEN_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

/** The change that a verdict makes to the alert of a group, which is null when none is open. */
export function decide(definition: Definition, alert: OpenAlert | null, verdict: Verdict): Change {
  const cause = causeOf(definition, verdict);
  if (!alert) return cause ? { kind: 'open', alert: begun(cause, null, verdict) } : { kind: 'none' };
  if (isForgotten(definition, alert, verdict)) return { kind: 'close', closing: 'no_data' };
  if (cause) return { kind: 'keep', alert: begun(alert.cause, alert, verdict) };
  return isFine(definition, verdict) ? whenFine(definition, alert, verdict) : whenUndecided(alert, verdict);
}

/** An alert whose cause still holds. */
function begun(cause: Cause, alert: OpenAlert | null, { kind, window }: Verdict): OpenAlert {
  const emptySince = kind === 'no_data' ? (alert?.emptySince ?? window.to) : null;
  return { cause, fineSince: null, emptySince };
}

function whenFine({ closesAfterMinutes }: Definition, alert: OpenAlert, { kind, window }: Verdict): Change {
  const fineSince = alert.fineSince ?? window.to;
  const isOver = window.to - fineSince >= closesAfterMinutes * MINUTE_MS;
  if (isOver) return { kind: 'close', closing: kind === 'no_data' ? 'no_data' : 'recovered' };
  return { kind: 'keep', alert: { ...alert, fineSince, emptySince: null } };
}

function whenUndecided(alert: OpenAlert, { kind, window }: Verdict): Change {
  const emptySince = kind === 'no_data' ? (alert.emptySince ?? window.to) : null;
  return { kind: 'keep', alert: { ...alert, emptySince } };
}

/** Whether a group has had no items for a day, such as a removed model. Alerts about missing data of a whole monitor stay open. */
function isForgotten({ by, noData }: Definition, { emptySince }: OpenAlert, { kind, window }: Verdict): boolean {
  if (kind !== 'no_data' || (noData === 'open' && by === null)) return false;
  return emptySince !== null && window.to - emptySince >= FORGOTTEN_MS;
}

function causeOf({ rule, noData }: Definition, { kind }: Verdict): Cause | null {
  if (kind === 'breach') return rule.kind;
  return kind === 'no_data' && noData === 'open' ? 'no_data' : null;
}

const isFine = ({ noData }: Definition, { kind }: Verdict): boolean =>
  kind === 'fine' || (kind === 'no_data' && noData === 'ok');
