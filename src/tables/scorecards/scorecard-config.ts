import type { JsonObject } from '../../platform/json.js';
import type { ScoreAdapter } from './score-adapter.js';

export const AGGREGATION_METHODS = ['weighted_mean', 'mean', 'min', 'max'] as const;
export type AggregationMethod = (typeof AGGREGATION_METHODS)[number];

/** Effects of a required step that did not pass on the verdict over all steps. */
export const FAILURE_BEHAVIORS = ['fail', 'warn', 'error'] as const;
export type FailureBehavior = (typeof FAILURE_BEHAVIORS)[number];

export const EVIDENCE_MODES = ['summary', 'raw', 'hidden'] as const;
export type EvidenceMode = (typeof EVIDENCE_MODES)[number];

/** A score of at least `pass` passes, one of at least `warn` is a warning, any other fails. */
export interface Thresholds {
  pass: number;
  warn: number;
}

export const DEFAULT_THRESHOLDS: Thresholds = { pass: 0.8, warn: 0.6 };

/** The aggregation as it is stored and shown; unknown keys of the caller are kept. */
export type Aggregation = {
  method: AggregationMethod;
  required_step_failure_behavior: FailureBehavior;
  pass_threshold: number;
  warn_threshold: number;
} & JsonObject;

/** Settings of a step besides its column, which has the title, the type, the config and the sources. */
export interface StepSettings {
  /** Also the id of the column. */
  id: string;
  weight: number;
  required: boolean;
  /** null for the thresholds of the aggregation. */
  thresholds: Thresholds | null;
  scoreAdapter: ScoreAdapter | null;
  description: string | null;
  evidenceMode: EvidenceMode | null;
  orderIndex: number;
  /** Columns of the sheet that the step judges, or was made from. */
  targetColumnId: string | null;
  backingColumnId: string | null;
  createdAt: string;
  updatedAt: string;
}

export function thresholdsOf(aggregation: Aggregation): Thresholds {
  return { pass: aggregation.pass_threshold, warn: aggregation.warn_threshold };
}
