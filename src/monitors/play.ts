import type { Definition } from './definition.js';
import type { Verdict } from './judge.js';

export const CAUSES = ['limit', 'usual', 'no_data'] as const;
/** Why an alert was opened. */
export type Cause = (typeof CAUSES)[number];

export const CLOSINGS = ['recovered', 'no_data', 'paused', 'changed', 'deleted'] as const;
/** Why an alert was closed. */
export type Closing = (typeof CLOSINGS)[number];

/** An open alert, as far as it decides when it is over. Times are milliseconds since 1970. */
export interface OpenAlert {
  cause: Cause;
  /** Since when every evaluation has been fine; null while the last one was not. */
  fineSince: number | null;
  /** Since when there were no items. */
  emptySince: number | null;
}

/** What an evaluation changes. */
export type Change =
  | { kind: 'none' }
  | { kind: 'open'; alert: OpenAlert }
  | { kind: 'keep'; alert: OpenAlert }
  | { kind: 'close'; closing: Closing };

/** An alert of something that does not occur any more ends after this time. */
const FORGOTTEN_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

/** The change that a verdict makes to the alert of a group, which is null when none is open. */
export function decide(definition: Definition, alert: OpenAlert | null, verdict: Verdict): Change {
  const at = verdict.window.to;
  const opens = causeOf(definition, verdict);
  if (opens && !(alert && isForgotten(definition, alert, verdict))) {
    const emptySince = verdict.kind === 'no_data' ? (alert?.emptySince ?? at) : null;
    const open = { cause: alert?.cause ?? opens, fineSince: null, emptySince };
    return { kind: alert ? 'keep' : 'open', alert: open };
  }
  if (!alert) return { kind: 'none' };
  if (isFine(definition, verdict)) {
    const fineSince = alert.fineSince ?? at;
    if (at - fineSince >= definition.closesAfterMinutes * MINUTE_MS) {
      return { kind: 'close', closing: verdict.kind === 'no_data' ? 'no_data' : 'recovered' };
    }
    return { kind: 'keep', alert: { ...alert, fineSince, emptySince: null } };
  }
  if (verdict.kind !== 'no_data') return { kind: 'keep', alert: { ...alert, emptySince: null } };
  if (isForgotten(definition, alert, verdict)) return { kind: 'close', closing: 'no_data' };
  return { kind: 'keep', alert: { ...alert, emptySince: alert.emptySince ?? at } };
}

/** A group without items for a day, such as a removed model, or any alert that does not ask for data. */
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
