import type { JsonValue } from '../../platform/json.js';
import type { ScoreEstimate } from './aggregate-estimate.js';
import type { Drift, Moves } from './drift.js';
import type { VerdictCounts } from './criterion.js';
import type { ScoreAdapter } from './score-adapter.js';
import type { Aggregation, EvidenceMode, Thresholds } from './scorecard-config.js';
import type { FlipRate } from '../../platform/statistics/flip-rate.js';
import type { Verdict } from './verdicts.js';

/** A step in a calculation. It is a copy, so that results stay readable when the scorecard changes. */
export interface PlannedStep {
  id: string;
  title: string;
  type: string;
  weight: number;
  required: boolean;
  thresholds: Thresholds;
  adapter: ScoreAdapter | null;
  evidenceMode: EvidenceMode;
  /** The ids of its sources. */
  sources: string[];
  signature: StepSignature;
  /** Whether it is computed once per column, instead of in every row. */
  isAggregate: boolean;
}

/** Digests of everything that the scores of a step depend on besides the cells that it reads. */
export interface StepSignature {
  config: string;
  sources: string;
}

export interface CalculationPlan {
  aggregation: Aggregation;
  steps: PlannedStep[];
  configHash: string;
}

/** The rows and steps to calculate; null for all. The others keep the results of the previous calculation. */
export interface CalculationScope {
  rows: number[] | null;
  stepIds: string[] | null;
}

/** The result of a step over all rows. */
export interface CriterionResult {
  score: number | null;
  verdict: Verdict;
  counts: VerdictCounts;
  /** null for a step that is computed once per column. */
  estimate: ScoreEstimate | null;
  /** null where nothing was judged repeatedly. */
  flips: FlipRate | null;
  /** The result of a step that is computed once per column. */
  value?: JsonValue;
  drift: (Drift & Moves) | null;
}

export interface CalculationResult {
  score: number | null;
  verdict: Verdict;
  estimate: ScoreEstimate;
  /** Rows by verdict. */
  counts: VerdictCounts;
  /** Cells of steps with a reused result; missing in older results. */
  reusedCells?: number;
  criteria: Record<string, CriterionResult>;
  /** The signature of each step that all its results in the calculation are from, by the id of the step. */
  signatures: Record<string, StepSignature>;
  /**
   * Digests of the versions of prompts and of the models at the end of the calculation, by column, for the steps and
   * the columns between them and the judged texts. Missing in older results.
   */
  resolved?: Record<string, string>;
  drift: (Drift & Moves & { previous_calculation_id: string }) | null;
}

/** The steps that have a result in every row, in the order of `ScorecardRow.steps`. */
export function rowSteps({ steps }: CalculationPlan): PlannedStep[] {
  return steps.filter(({ isAggregate }) => !isAggregate);
}
