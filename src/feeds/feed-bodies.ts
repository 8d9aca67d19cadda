import { ValidationProblem } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json.js';
import { parseTime } from '../platform/time.js';
import type { ExplainedDecision } from './feed-decisions.service.js';
import type { FeedPlan, PlannedItems } from './feed-plans.service.js';
import { DECISIONS, type Decision, type FeedSettings } from './feed-settings.js';
import {
  DEFAULT_KEEP,
  DEFAULT_QUIET,
  type FeedSettingsRequest,
  type PlanFeedRequest,
  type CreateFeedRequest,
  type UpdateFeedRequest,
  type FeedCountsBody,
  type FeedBody,
  type FeedResponse,
  type PlannedItemsBody,
  type FeedPlanResponse,
  type FeedDecisionResponse,
  type FeedHoursResponse,
} from './feeds.dto.js';
import type { FeedHour } from './feeds.entities.js';
import type { FeedChange, NewFeed, ShownFeed } from './feeds.service.js';

export function toSettings(body: FeedSettingsRequest): FeedSettings {
  const { origins, sample_rate: rate, recompute_grown: recomputes, publishes } = body;
  return {
    filterGroup: body.filter_group ?? null,
    q: body.q || null,
    origins: origins ?? ['application'],
    sampleRate: rate ?? 1,
    ...toLimits(body),
    fields: body.fields ?? [],
    variables: body.variables ?? [],
    recomputeGrown: recomputes ?? false,
    publishes: (publishes ?? []).map(({ column_id: id, name }) => ({ columnId: id.toLowerCase(), name })),
  };
}

const toLimits = (body: FeedSettingsRequest) => ({
  rowsPerHour: body.rows_per_hour ?? null,
  rowsPerDay: body.rows_per_day ?? null,
  costPerDay: body.cost_per_day ?? null,
  keepRows: body.keep_rows ?? DEFAULT_KEEP,
  keepDays: body.keep_days ?? null,
});

export function toPlanned(body: PlanFeedRequest): Omit<NewFeed, 'name'> {
  return {
    source: body.source,
    settings: toSettings(body),
    quietSeconds: body.quiet_seconds ?? DEFAULT_QUIET,
    beginsAt: readBeginning(body.begins_at),
  };
}

/** Throws a 422 for a form of ISO 8601 that is no moment, such as a week. A year alone would be taken for seconds. */
function readBeginning(given: string | null | undefined): Date | null {
  if (given === null || given === undefined) return null;
  const moment = /^\d{4}-/.test(given) ? parseTime(given) : null;
  if (moment !== null) return new Date(moment);
  const msg = 'Input should be a valid datetime';
  throw new ValidationProblem([{ loc: ['body', 'begins_at'], msg, type: 'datetime_parsing' }]);
}

export const toNewFeed = (body: CreateFeedRequest): NewFeed => ({ ...toPlanned(body), name: body.name });

/** The settings whose fields the body names. */
export function toFeedChange(body: UpdateFeedRequest): FeedChange {
  const { name, state, quiet_seconds: quietSeconds } = body;
  const all = toSettings(body);
  const named = Object.entries(SETTING_FIELDS).filter(
    ([field]) => body[field as keyof UpdateFeedRequest] !== undefined,
  );
  const settings = Object.fromEntries(named.map(([, setting]) => [setting, all[setting]])) as Partial<FeedSettings>;
  return { name, state, quietSeconds, settings: named.length > 0 ? settings : undefined };
}

const SETTING_FIELDS: Record<Exclude<keyof FeedSettingsRequest, 'quiet_seconds'>, keyof FeedSettings> = {
  filter_group: 'filterGroup',
  q: 'q',
  origins: 'origins',
  sample_rate: 'sampleRate',
  rows_per_hour: 'rowsPerHour',
  rows_per_day: 'rowsPerDay',
  cost_per_day: 'costPerDay',
  fields: 'fields',
  variables: 'variables',
  recompute_grown: 'recomputeGrown',
  keep_rows: 'keepRows',
  keep_days: 'keepDays',
  publishes: 'publishes',
};

function toCounts(counts: Partial<Record<Decision | 'grown', number>>): FeedCountsBody {
  const of = (decision: Decision | 'grown') => Number(counts[decision] ?? 0);
  return {
    seen: DECISIONS.reduce((sum, decision) => sum + of(decision), 0),
    chosen: of('chosen'),
    sampled_out: of('sampled_out'),
    filtered: of('filtered'),
    rows_per_hour: of('rows_per_hour'),
    rows_per_day: of('rows_per_day'),
    cost_per_day: of('cost_per_day'),
    deleted: of('deleted'),
    expired: of('expired'),
    grown: of('grown'),
  };
}

export function toFeedBody(feed: ShownFeed): FeedBody {
  const { settings, backfill } = feed;
  return {
    id: feed.id,
    name: feed.name,
    table_id: feed.tableId,
    sheet_id: feed.sheetId,
    source: feed.source,
    ...toSettingsBody(settings),
    columns: feed.columns,
    quiet_seconds: feed.quietSeconds,
    state: feed.state,
    paused_reason: feed.pausedReason,
    paused_message: feed.pausedMessage,
    revision: feed.revision,
    backfill: backfill && { begins_at: backfill.from, is_done: backfill.isDone },
    last_hour: toCounts(feed.lastHour),
    row_count: feed.rowCount,
    waiting_count: feed.waitingCount,
    undecided_count: feed.undecidedCount,
    undecided_since: feed.undecidedSince?.toISOString() ?? null,
    behind_since: feed.behindSince?.toISOString() ?? null,
    cost_today: feed.costToday,
    created_by: feed.createdBy,
    created_at: feed.createdAt.toISOString(),
    updated_at: feed.updatedAt.toISOString(),
  };
}

function toSettingsBody(settings: FeedSettings) {
  return {
    filter_group: settings.filterGroup as JsonObject | null,
    q: settings.q,
    origins: settings.origins,
    sample_rate: settings.sampleRate,
    rows_per_hour: settings.rowsPerHour,
    rows_per_day: settings.rowsPerDay,
    cost_per_day: settings.costPerDay,
    fields: settings.fields,
    variables: settings.variables,
    recompute_grown: settings.recomputeGrown,
    keep_rows: settings.keepRows,
    keep_days: settings.keepDays,
    publishes: settings.publishes.map(({ columnId, name }) => ({ column_id: columnId, name })),
  };
}

export const toFeedResponse = (feed: ShownFeed): FeedResponse => ({ success: true, feed: toFeedBody(feed) });

const toPlannedBody = ({ isExact, ...items }: PlannedItems): PlannedItemsBody => ({ ...items, is_exact: isExact });

export function toPlanResponse({ lastDay, backfill, pricePerRow, isPaid }: FeedPlan): FeedPlanResponse {
  return {
    success: true,
    last_day: toPlannedBody(lastDay),
    backfill: backfill && toPlannedBody(backfill),
    price_per_row: pricePerRow,
    needs_limit: isPaid,
  };
}

export function toDecisionResponse(explained: ExplainedDecision): FeedDecisionResponse {
  return {
    success: true,
    item_id: explained.itemId,
    decision: explained.decision,
    reason: explained.reason,
    is_recorded: explained.isRecorded,
    decided_at: explained.decidedAt?.toISOString() ?? null,
    revision: explained.revision,
    sample: explained.sample,
    sample_rate: explained.sampleRate,
    row_index: explained.rowIndex,
  };
}

export const toHoursResponse = (hours: FeedHour[], limit: number): FeedHoursResponse => ({
  success: true,
  data: hours.map(({ hour, counts }) => ({ hour: hour.toISOString(), ...toCounts(counts) })),
  limit,
});
