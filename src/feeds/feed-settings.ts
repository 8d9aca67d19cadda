import type { Origin } from '../llm/records/origin.js';

/**
 * Origins of cells and workflows are missing: a column can cause their calls, and a feed must never take its own results.
 */
export const FEED_ORIGINS = ['application', 'evaluation', 'trial'] as const satisfies readonly Origin[];
export type FeedOrigin = (typeof FEED_ORIGINS)[number];

/** A column whose values become scores of the items. */
export interface PublishedColumn {
  columnId: string;
  name: string;
}

/** Everything about a feed that decides about an item. */
export interface FeedSettings {
  /** Filter group of the source, unchanged from the request. */
  filterGroup: object | null;
  q: string | null;
  origins: FeedOrigin[];
  /** 0 to 1. */
  sampleRate: number;
  /** null means any number. */
  rowsPerHour: number | null;
  rowsPerDay: number | null;
  /** US dollars for computing rows. */
  costPerDay: number | null;
  /** Fields that become columns, besides the id. */
  fields: string[];
  variables: string[];
  /** Whether the cells of a trace that grows are computed again, or only become stale. */
  recomputeGrown: boolean;
  /** Maximum number of rows. Older ones are deleted. */
  keepRows: number;
  keepDays: number | null;
  publishes: PublishedColumn[];
}

export const PAUSE_REASONS = [
  'user',
  'sheet_deleted',
  'sheet_full',
  'workspace_full',
  'column_deleted',
  'cells_failing',
  'feed_failed',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Progress of a feed through items that were stored before it began. */
export interface Backfill {
  /** Range of item starts, ISO 8601. It ends later than now, because clocks of senders may be ahead. */
  from: string;
  until: string;
  /** The last item that was decided. */
  at: string | null;
  id: string | null;
  isDone: boolean;
}

export const DECISIONS = [
  'chosen',
  'sampled_out',
  'filtered',
  'rows_per_hour',
  'rows_per_day',
  'cost_per_day',
  'deleted',
  'expired',
] as const;
export type Decision = (typeof DECISIONS)[number];

/** Decisions that have a row of their own; the others follow from the settings. */
export const RECORDED: ReadonlySet<Decision> = new Set(['chosen', 'rows_per_hour', 'rows_per_day', 'cost_per_day']);
