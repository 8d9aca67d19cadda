import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import type { ScoreEstimate } from './aggregate-estimate.js';
import { type CalculationPlan, type CriterionResult, rowSteps } from './calculation-plan.js';
import type { CalculationState } from './calculations.queries.js';
import { type ScorecardStep, stepsOf } from './plan-calculation.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { thresholdsOf } from './scorecard-config.js';
import type { FoundRow } from './calculations.service.js';
import type { StoredStep } from './scorecard-row.entity.js';
import type { RowSummary } from './scorecard-rows.queries.js';
import type { Scorecard } from './scorecard.entity.js';
import type { CalculationBody, CriterionSummary, FlipRateBody, StaleStateBody } from './calculations.dto.js';
import type { RowResultResponse, RowSummaryBody } from './scorecard-rows.dto.js';
import type {
  ScorecardBody,
  ScorecardConfigBody,
  ScorecardProgress,
  ScorecardResponse,
  ScorecardStatus,
  ScorecardStepBody,
} from './scorecards.dto.js';
import type { ScorecardView } from './scorecards.service.js';
import type { StaleState } from './stale-state.js';
import type { FlipRate } from '../../platform/statistics/flip-rate.js';
import type { VerdictCounts } from './criterion.js';

/** Limit of the rows that a stale state lists; the reasons describe the others. */
const ROWS_NAMED = 1000;

export function toScorecardResponse(view: ScorecardView | null): ScorecardResponse {
  if (!view) {
    const nothing = { latest_calculation: null, display_calculation: null, criterion_summaries: null };
    return { success: true, scorecard: null, ...nothing, drift_summary: null, progress: null };
  }
  const { latest, display } = view;
  return {
    success: true,
    scorecard: toScorecardBody(view),
    latest_calculation: latest && toCalculationBody(latest.calculation, latest.status),
    display_calculation: display && toCalculationBody(display, display.status),
    criterion_summaries: display && toCriterionSummaries(display),
    drift_summary: display?.result?.drift ?? null,
    progress: latest && toProgress(latest),
  };
}

export function toScorecardBody({ sheet, scorecard, columns, plan, latest, stale }: ScorecardView): ScorecardBody {
  return {
    ...toConfigBody(scorecard, columns),
    workspace_id: scorecard.workspaceId,
    smart_table_id: sheet.tableId,
    table_id: sheet.tableId,
    sheet_id: sheet.id,
    status: statusOf(scorecard, latest, stale),
    stale_state: stale && toStaleState(stale),
    latest_calculation_id: latest?.calculation.id ?? null,
    config_hash: plan.configHash,
    created_at: scorecard.createdAt.toISOString(),
    updated_at: scorecard.updatedAt.toISOString(),
  };
}

/** Converts a scorecard, without its results. */
export function toConfigBody(scorecard: Scorecard, columns: SheetColumns): ScorecardConfigBody {
  const { id, name, evaluatedColumnIds, aggregation, displayConfig, baselineConfig } = scorecard;
  return {
    id,
    name,
    evaluated_column_ids: evaluatedColumnIds.filter((column) => columns.find(column)),
    aggregation,
    display_config: displayConfig,
    baseline_config: baselineConfig,
    steps: stepsOf(scorecard, columns).map((step) => toStepBody(scorecard, columns, step)),
  };
}

function toStepBody(
  { aggregation }: Scorecard,
  columns: SheetColumns,
  { settings, column }: ScorecardStep,
): ScorecardStepBody {
  const live = (id: string | null) => (id && columns.find(id) ? id : null);
  return {
    id: column.id,
    title: column.title,
    primitive_type: column.type,
    primitive_config: column.config,
    source_column_ids: [...new Set(columns.edgesOf(column).map(({ sourceId }) => sourceId))],
    weight: settings.weight,
    required: settings.required,
    thresholds: settings.thresholds ?? thresholdsOf(aggregation),
    score_adapter: settings.scoreAdapter && { ...settings.scoreAdapter },
    description: settings.description,
    target_column_id: live(settings.targetColumnId),
    evidence_mode: settings.evidenceMode,
    order_index: settings.orderIndex,
    backing_column_id: live(settings.backingColumnId),
    created_at: settings.createdAt,
    updated_at: settings.updatedAt,
  };
}

function statusOf({ steps }: Scorecard, latest: CalculationState | null, stale: StaleState | null): ScorecardStatus {
  if (latest?.status === 'queued' || latest?.status === 'running') return latest.status;
  if (steps.length === 0) return 'needs_setup';
  if (latest?.status === 'failed') return 'failed';
  if (!stale) return 'ready';
  return stale.reasons.length > 0 ? 'stale' : 'completed';
}

function toStaleState({ reasons, stepIds, rows }: StaleState): StaleStateBody {
  return {
    is_stale: reasons.length > 0,
    reasons,
    stale_step_ids: stepIds,
    stale_row_indices: rows.page(null, ROWS_NAMED, 'asc'),
  };
}

export function toCalculationBody(calculation: ScorecardCalculation, status: string): CalculationBody {
  const { version, plan, createdAt, completedAt } = calculation;
  return {
    id: calculation.id,
    scorecard_id: calculation.scorecardId,
    workspace_id: calculation.workspaceId,
    sheet_id: calculation.sheetId,
    sheet_revision: String(version),
    version,
    status,
    ...toOutcome(calculation),
    config_hash: plan.configHash,
    execution_id: calculation.executionId,
    started_at: status === 'queued' ? null : createdAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
    error_summary: calculation.error,
    created_at: createdAt.toISOString(),
    updated_at: (completedAt ?? createdAt).toISOString(),
  };
}

function toOutcome(calculation: ScorecardCalculation) {
  const { result, rows } = calculation;
  if (!result) {
    const nothing = { aggregate_score: null, aggregate_verdict: null, criterion_summaries: {}, drift_summary: null };
    return {
      ...nothing,
      ...toEstimate(null),
      row_count: rows.count,
      completed_row_count: null,
      failed_row_count: null,
      reused_cell_count: null,
    };
  }
  const { score, verdict, counts, drift, estimate } = result;
  return {
    ...toEstimate(estimate),
    aggregate_score: score,
    aggregate_verdict: verdict,
    criterion_summaries: toCriterionSummaries(calculation)!,
    drift_summary: drift,
    row_count: rows.count,
    completed_row_count: totalOf(counts) - counts.error,
    failed_row_count: counts.error,
    reused_cell_count: result.reusedCells ?? null,
  };
}

function toFlipRate({ interval, ...flips }: FlipRate): FlipRateBody {
  return { ...flips, confidence_interval: interval };
}

function toEstimate(estimate: ScoreEstimate | null) {
  if (!estimate) return { n: null, standard_error: null, confidence_interval: null };
  const { n, standardError, interval } = estimate;
  return { n, standard_error: standardError, confidence_interval: interval };
}

/** null without a result. */
export function toCriterionSummaries({ plan, result }: ScorecardCalculation): Record<string, CriterionSummary> | null {
  if (!result) return null;
  return Object.fromEntries(
    plan.steps.flatMap((step) => {
      const criterion = result.criteria[step.id];
      return criterion ? [[step.id, toCriterionSummary(step, criterion)]] : [];
    }),
  );
}

function toCriterionSummary(step: CalculationPlan['steps'][number], criterion: CriterionResult): CriterionSummary {
  const { score, verdict, counts, value, drift, estimate, flips } = criterion;
  return {
    step_id: step.id,
    title: step.title,
    primitive_type: step.type,
    score,
    verdict,
    weight: step.weight,
    required: step.required,
    thresholds: step.thresholds,
    pass_count: counts.pass,
    warn_count: counts.warn,
    fail_count: counts.fail,
    error_count: counts.error,
    skipped_count: counts.skipped,
    total_count: totalOf(counts),
    ...toEstimate(estimate),
    flip_rate: flips && toFlipRate(flips),
    // null where the aggregated column was deleted.
    ...((value ?? null) !== null && { value }),
    drift_summary: drift,
  };
}

function totalOf(counts: VerdictCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function toProgress({ calculation, running, queued }: CalculationState): ScorecardProgress {
  const { rows, result } = calculation;
  const { pass = 0, warn = 0, fail = 0, error = 0, skipped = 0 } = result?.counts ?? {};
  const waiting = queued.count + running.count;
  const total = result ? totalOf(result.counts) : rows.count;
  return {
    scored_rows: result ? total : scoredCount(calculation, rows, waiting),
    total_rows: total,
    partial_score: result?.score ?? null,
    passed_rows: pass,
    warned_rows: warn,
    failed_rows: fail,
    error_rows: error,
    skipped_rows: skipped,
    running_rows: running.count,
    queued_rows: queued.count,
  };
}

/** A calculation that ended early has scored nothing. */
function scoredCount({ status }: ScorecardCalculation, rows: RowSet, waiting: number): number {
  return status === 'queued' || status === 'running' ? Math.max(0, rows.count - waiting) : 0;
}

export function toRowSummary(row: RowSummary, isOutdated: boolean): RowSummaryBody {
  return {
    row_index: row.rowIndex,
    aggregate_score: row.score,
    aggregate_verdict: row.verdict,
    drift_summary: rowDrift(row),
    stale_state: rowStaleState(row, isOutdated),
    error_summary: summarise(row.errors),
  };
}

export function toRowResult({ calculation, row, isOutdated }: FoundRow): RowResultResponse {
  const errors = row.steps.flatMap(([verdict, , , error]) => (verdict === 'error' && error ? [error] : []));
  const steps = rowSteps(calculation.plan);
  return {
    success: true,
    id: rowResultId(calculation.id, row.rowIndex),
    calculation_id: calculation.id,
    scorecard_id: calculation.scorecardId,
    sheet_id: calculation.sheetId,
    ...toRowSummary({ ...row, errors }, isOutdated),
    step_results: Object.fromEntries(steps.map((step, at) => [step.id, toStepResult(step, row.steps[at]!)])),
    config_hash: calculation.plan.configHash,
    input_hash: row.inputHash?.toString('hex') ?? null,
    computed_at: calculation.completedAt?.toISOString() ?? null,
  };
}

/** Booleans occur only in the result: clients read any boolean as a verdict. */
function toStepResult(
  { id, title, type, weight }: CalculationPlan['steps'][number],
  [verdict, score, result, error, evidence]: StoredStep,
): JsonObject {
  return {
    step_id: id,
    title,
    primitive_type: type,
    weight,
    verdict,
    score,
    raw_value: result,
    error_message: error,
    error,
    evidence: evidence as JsonValue,
  };
}

function rowDrift({ score, verdict, previousScore, previousVerdict }: RowSummary) {
  if (previousVerdict === null) return null;
  return {
    previous_score: previousScore,
    score_delta: score === null || previousScore === null ? null : score - previousScore,
    previous_verdict: previousVerdict,
    verdict_changed: verdict !== previousVerdict,
  };
}

function rowStaleState({ isSourceStale, rowIndex }: RowSummary, isOutdated: boolean): StaleStateBody | null {
  if (!isSourceStale && !isOutdated) return null;
  const reasons = [...(isOutdated ? ['inputs_changed'] : []), ...(isSourceStale ? ['source_stale'] : [])];
  return { is_stale: true, reasons, stale_step_ids: [], stale_row_indices: [rowIndex] };
}

function summarise(errors: string[]): string | null {
  const [first, ...others] = errors;
  if (first === undefined) return null;
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}

/** A UUID (version 8) that is derived from the calculation and the row. */
function rowResultId(calculationId: string, row: number): string {
  const digits = hash('sha256', `${calculationId}:${row}`);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
