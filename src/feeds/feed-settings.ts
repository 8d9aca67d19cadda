import type { Origin } from '../llm/records/origin.js';

/**
 * Calls and traces of cells and of workflows are missing: a column may make them, and what a feed computed must never feed it.
 */
export const FEED_ORIGINS = ['application', 'evaluation', 'trial'] as const satisfies readonly Origin[];
export type FeedOrigin = (typeof FEED_ORIGINS)[number];

/** A column whose values become scores of what was judged. */
export interface PublishedColumn {
  columnId: string;
  name: string;
}

/** Everything about a feed that decides about an item. */
export interface FeedSettings {
  /** A filter group of the source, as it came. */
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
  /** What becomes columns, beside the id. */
  fields: string[];
  variables: string[];
  /** Whether the cells of a trace that grows are computed again, or only become stale. */
  recomputeGrown: boolean;
  /** The newest rows that stay. */
  keepRows: number;
  keepDays: number | null;
  publishes: PublishedColumn[];
}

export const PAUSE_REASONS = [
  'user',
  'sheet_deleted',
  'sheet_full',
  'column_deleted',
  'cells_failing',
  'feed_failed',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** How far a feed has come with what was stored before it began. */
export interface Backfill {
  /** ISO 8601. Items that began in this range. It ends later than now: clocks of senders may be ahead. */
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
