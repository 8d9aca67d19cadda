import type { Language } from '../platform/sandbox/code-runner.js';

export const SCORING_TYPES = ['auto', 'boolean', 'numeric', 'custom'] as const;
export type ScoringType = (typeof SCORING_TYPES)[number];
/** Scored cell by cell. */
export type ColumnScoringType = Exclude<ScoringType, 'custom'>;

export const ASSERTION_AGGREGATIONS = ['all', 'any', 'mean'] as const;
export type AssertionAggregation = (typeof ASSERTION_AGGREGATIONS)[number];

/** The score settings of a sheet, as they are stored and shown: only the keys that the type reads. */
export interface ScoreConfig {
  /** Default: the columns with verdicts, as for a sheet without a configured score. */
  column_ids?: string[];
  true_values?: string[];
  false_values?: string[];
  assertion_aggregation?: AssertionAggregation;
  code?: string;
  code_language?: Language;
}

const KEYS: Record<ScoringType, (keyof ScoreConfig)[]> = {
  auto: ['column_ids', 'true_values', 'false_values', 'assertion_aggregation'],
  boolean: ['column_ids', 'true_values', 'false_values', 'assertion_aggregation'],
  numeric: ['column_ids'],
  custom: ['column_ids', 'code', 'code_language'],
};

/** Keeps only the keys that the type reads. */
export function normalizeConfig(type: ScoringType, given: ScoreConfig): ScoreConfig {
  return Object.fromEntries(KEYS[type].flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])));
}

/** The type of a configuration without one. */
export function inferType({ code, true_values, false_values, assertion_aggregation }: ScoreConfig): ScoringType {
  if (code !== undefined) return 'custom';
  return (true_values ?? false_values ?? assertion_aggregation) ? 'boolean' : 'auto';
}
