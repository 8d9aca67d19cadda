import type { JsonValue } from '../../platform/json.js';
import type { ScoreEstimate } from './aggregate-estimate.js';
import type { Drift, Moves } from './drift.js';
import type { VerdictCounts } from './criterion.js';
import type { ScoreAdapter } from './score-adapter.js';
import type { Aggregation, EvidenceMode, Thresholds } from './scorecard-config.js';
import type { FlipRate } from '../../platform/statistics/flip-rate.js';
import type { Verdict } from './verdicts.js';

/** A step as a calculation sees it: results stay readable when the scorecard has changed since. */
export interface PlannedStep {
  id: string;
  title: string;
  type: string;
  weight: number;
  required: boolean;
  thresholds: Thresholds;
  adapter: ScoreAdapter | null;
  evidenceMode: EvidenceMode;
  /** The ids of the columns that it reads. */
  sources: string[];
  signature: StepSignature;
  /** It is computed once per column, not in every row. */
  isAggregate: boolean;
}

/** What the scores of a step depend on besides the cells that it reads, as digests. */
export interface StepSignature {
  config: string;
  sources: string;
}

export interface CalculationPlan {
  aggregation: Aggregation;
  steps: PlannedStep[];
  configHash: string;
}

/** Which rows and steps are calculated; null for all. The others keep what the calculation before has found. */
export interface CalculationScope {
  rows: number[] | null;
  stepIds: string[] | null;
}

/** A step over all rows. */
export interface CriterionResult {
  score: number | null;
  verdict: Verdict;
  counts: VerdictCounts;
  /** null for a step that is computed once per column. */
  estimate: ScoreEstimate | null;
  /** null where nothing was judged several times. */
  flips: FlipRate | null;
  /** Of a step that is computed once per column. */
  value?: JsonValue;
  drift: (Drift & Moves) | null;
}

export interface CalculationResult {
  score: number | null;
  verdict: Verdict;
  estimate: ScoreEstimate;
  /** Rows by verdict. */
  counts: VerdictCounts;
  /** Cells of steps that have the result of an earlier cell; missing in results that were stored before this was counted. */
  reusedCells?: number;
  criteria: Record<string, CriterionResult>;
  /** By the id of the step: what the step was that all its results in the calculation are from. */
  signatures: Record<string, StepSignature>;
  /**
   * By column, for the steps and the columns between them and what is judged: which versions of prompts and which models their configs
   * meant when the calculation completed, as digests. Missing in results that were stored before this was noted.
   */
  resolved?: Record<string, string>;
  drift: (Drift & Moves & { previous_calculation_id: string }) | null;
}

/** The steps that have a result in every row, in the order of `ScorecardRow.steps`. */
export function rowSteps({ steps }: CalculationPlan): PlannedStep[] {
  return steps.filter(({ isAggregate }) => !isAggregate);
}
