import type { FeedBody, FeedCountsBody, FeedDecisionResponse, FeedPlanResponse } from '../api/schema.gen';
import { count, counted, dollars } from '../ui/format';

const PAUSED: Record<NonNullable<FeedBody['paused_reason']>, string> = {
  user: 'A user has paused it.',
  sheet_deleted: 'The sheet was deleted.',
  sheet_full: 'The sheet is full.',
  workspace_full: 'The workspace is full.',
  column_deleted: 'A column of the feed was deleted.',
  cells_failing: 'Its cells keep failing.',
  feed_failed: 'The feed failed.',
};

export function stateOf({ state, paused_reason: reason }: FeedBody): string {
  if (state === 'active') return 'Active';
  return reason === 'user' ? 'Paused by a user' : 'Paused by the server';
}

/** The reason why the server has paused a feed. Its message says what helps. */
export function pauseOf({ paused_reason: reason, paused_message: message }: FeedBody): string {
  return message ?? (reason === null ? '' : PAUSED[reason]);
}

export const isPausedByServer = ({ state, paused_reason: reason }: FeedBody): boolean =>
  state === 'paused' && reason !== 'user';

type LeftOut = Exclude<keyof FeedCountsBody, 'seen' | 'chosen' | 'grown'>;

const LEFT_OUT: Record<LeftOut, string> = {
  filtered: 'by the filter',
  sampled_out: 'by the sample',
  rows_per_hour: 'by rows per hour',
  rows_per_day: 'by rows per day',
  cost_per_day: 'by cost per day',
  deleted: 'because they were deleted',
  expired: 'because they waited for 30 days',
};

/** `3: 2 by the filter, 1 by the sample`; `0` when nothing was skipped. */
export function leftOut(counts: FeedCountsBody): string {
  const parts = (Object.keys(LEFT_OUT) as LeftOut[]).filter((name) => counts[name] > 0);
  const total = parts.reduce((sum, name) => sum + counts[name], 0);
  const words = parts.map((name) => `${count(counts[name])} ${LEFT_OUT[name]}`).join(', ');
  return parts.length > 1 ? `${count(total)}: ${words}` : words || '0';
}

/** The short answer to the question why something was not judged. */
export const DECIDED: Record<FeedDecisionResponse['decision'], string> = {
  chosen: 'It was judged.',
  sampled_out: 'The sample left it out.',
  filtered: 'The filter left it out.',
  rows_per_hour: 'The limit on rows per hour left it out.',
  rows_per_day: 'The limit on rows per day left it out.',
  cost_per_day: 'The limit on cost per day left it out.',
  deleted: 'It is not stored.',
  expired: 'It arrived during a pause and waited for 30 days.',
  waiting: 'It waits for the feed.',
  before_feed: 'It was stored before the feed began.',
};

/** ` · about 120 rows a day · $0.40`; nothing while there is no plan. */
function perDay(plan: FeedPlanResponse | undefined): string {
  if (!plan) return '';
  const { rows, price } = plan.last_day;
  const cost = plan.needs_limit || (price ?? 0) > 0 ? ` · ${dollars(price)}` : '';
  return ` · about ${counted(rows, 'row')} a day${cost}`;
}

/** The label of the button of a new feed. `plan` is undefined while the numbers are not known. */
export function promiseOf(plan: FeedPlanResponse | undefined, { begins }: { begins: string }): string {
  const stored = plan?.backfill ? counted(plan.backfill.rows, 'stored row') : 'what is stored';
  return `Fill this sheet ${begins === '' ? '' : `with ${stored} and `}from now on${perDay(plan)}`;
}
