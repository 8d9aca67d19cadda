import type { EntityManager } from 'typeorm';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readSingleCells, valueOf } from '../../grid/cells/cells.queries.js';
import type { AggregatedValue, EqualCells } from '../../grid/column-type/column-type.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { readValueGroups } from '../../scoring/index.js';
import {
  type CalculationPlan,
  type CalculationResult,
  type CriterionResult,
  type PlannedStep,
  rowSteps,
} from './calculation-plan.js';
import { estimateAggregate, estimateCriterion } from './aggregate-estimate.js';
import { CriterionTally, noVerdicts } from './criterion.js';
import { driftOf, MoveTally } from './drift.js';
import { type Judgements, judgementsIn } from './judgements.js';
import { matchSteps } from './match-steps.js';
import { adaptScore } from './score-adapter.js';
import type { ScoredMoment, ScoredPage } from './score-rows.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { flipRate } from '../../platform/statistics/flip-rate.js';
import { combine, type Scored, verdictOf } from './verdicts.js';

/** The result of a calculation, collected page by page from its rows. */
export class SheetTally {
  private readonly counts = noVerdicts();
  private readonly steps: PlannedStep[];
  private readonly criteria: CriterionTally[];
  /** Scores by step and row; NaN where the step was skipped. */
  private readonly scores: number[][];
  /** Repeated judgements, by step. */
  private readonly judgements: Judgements[][];
  private readonly moves: MoveTally[];
  private readonly rowMoves = new MoveTally();
  /** The matching step of the baseline for each step, and its place in rows of the baseline. */
  private readonly matches: ReadonlyMap<string, PlannedStep>;
  private readonly places: number[];

  constructor(
    private readonly plan: CalculationPlan,
    private readonly baseline: ScorecardCalculation | null,
  ) {
    this.steps = rowSteps(plan);
    this.criteria = this.steps.map(() => new CriterionTally());
    this.scores = this.steps.map(() => []);
    this.judgements = this.steps.map(() => []);
    this.moves = this.steps.map(() => new MoveTally());
    this.matches = matchSteps(plan.steps, baseline?.plan.steps ?? []);
    const before = baseline ? rowSteps(baseline.plan) : [];
    this.places = this.steps.map(({ id }) => before.findIndex((step) => step.id === this.matches.get(id)?.id));
  }

  add({ rows, baseline }: ScoredPage): void {
    for (const row of rows) {
      this.counts[row.verdict]++;
      const before = baseline.get(row.rowIndex);
      this.rowMoves.add(row.score, before?.score ?? null);
      row.steps.forEach(([verdict, score, result], at) => {
        this.criteria[at]!.add({ verdict, score });
        this.scores[at]!.push(verdict === 'skipped' ? NaN : (score ?? 0));
        this.judgements[at]!.push(...judgementsIn(result));
        this.moves[at]!.add(score, before?.scores[this.places[at]!] ?? null);
      });
    }
  }

  /** `aggregates` are the results of the steps that are computed once per column. */
  result(aggregates: Record<string, AggregateResult>): Omit<CalculationResult, 'signatures'> {
    const found = { ...this.rowCriteria(), ...aggregates };
    const criteria = Object.fromEntries(
      Object.entries(found).map(([id, result]) => [id, { ...result, drift: this.driftOf(id, result) }]),
    );
    const parts = this.plan.steps.map(({ id, weight, required }) => ({ weight, required, ...criteria[id]! }));
    const total = combine(parts, this.plan.aggregation);
    return {
      ...total,
      estimate: this.estimate(total.score, aggregates),
      counts: this.counts,
      criteria,
      drift: this.drift(total),
    };
  }

  private estimate(score: number | null, aggregates: Record<string, AggregateResult>) {
    const { method } = this.plan.aggregation;
    const criteria = this.steps.map(({ weight }, at) => ({ weight, scores: this.scores[at]! }));
    // Failed steps count as 0 here and in the score.
    const fixed = this.plan.steps.filter(({ id }) => aggregates[id] && aggregates[id].verdict !== 'skipped');
    const constant = fixed.reduce((sum, { weight }) => sum + (method === 'mean' ? 1 : weight), 0);
    return estimateAggregate(method, score, criteria, constant);
  }

  private rowCriteria(): Record<string, AggregateResult> {
    const results = this.steps.map(({ id, thresholds }, at): [string, AggregateResult] => {
      const tally = this.criteria[at]!;
      const estimate = estimateCriterion(this.scores[at]!);
      const judged = this.judgements[at]!;
      const flips = judged.length > 0 ? flipRate(judged) : null;
      return [id, { ...tally.result(thresholds), estimate, flips, counts: tally.counts }];
    });
    return Object.fromEntries(results);
  }

  private drift(total: Scored): CalculationResult['drift'] {
    const { baseline } = this;
    if (!baseline?.result) return null;
    return { previous_calculation_id: baseline.id, ...driftOf(total, baseline.result), ...this.rowMoves.moves };
  }

  private driftOf(id: string, now: Scored): CriterionResult['drift'] {
    const match = this.matches.get(id);
    const before = match && this.baseline?.result?.criteria[match.id];
    if (!before) return null;
    const moves = this.moves[this.steps.findIndex((step) => step.id === id)] ?? new MoveTally();
    return { ...driftOf(now, before), ...moves.moves };
  }
}

/** The result of a step, before it is compared. */
export type AggregateResult = Omit<CriterionResult, 'drift'>;

/**
 * Computes the steps that have one result per column and are in the scope of the calculation; the others keep their
 * results.
 */
export async function scoreAggregates({ tx, sheet, columns, calculation, previous }: ScoredMoment) {
  const results: Record<string, AggregateResult> = {};
  for (const step of calculation.plan.steps.filter(({ isAggregate }) => isAggregate)) {
    const { scope } = calculation;
    const kept = scope?.stepIds?.includes(step.id) === false ? previous?.result?.criteria[step.id] : undefined;
    results[step.id] = kept ?? (await scoreAggregate(tx, sheet, columns, step));
  }
  return results;
}

async function scoreAggregate(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  step: PlannedStep,
): Promise<AggregateResult> {
  const nothing = { estimate: null, flips: null, counts: noVerdicts() };
  const found = await aggregate(tx, sheet, columns, columns.find(step.id)!);
  if (!found) return { score: null, verdict: 'error', ...nothing, value: null };
  const { value, label, details } = found;
  const score = scoreOf(value, step);
  const verdict = score === null ? 'skipped' : verdictOf(score, step.thresholds);
  return { score, verdict, ...nothing, value: { value, label, ...details } };
}

/** Returns the score of a result: a number from 0 to 1, or one that an adapter maps; null for any other value. */
function scoreOf(value: JsonValue, { adapter }: PlannedStep): number | null {
  const adapted = adaptScore(value, adapter);
  if (!('score' in adapted)) return null;
  const isBeyond = adapter === null && typeof value !== 'boolean' && Number(value) !== adapted.score;
  return isBeyond ? null : adapted.score;
}

/** null when the aggregated column was deleted. */
async function aggregate(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  column: SheetColumn,
): Promise<{ value: JsonValue; label: JsonValue; details?: JsonObject } | null> {
  const sourceAt = (key: string) => {
    const edge = columns.edgesOf(column).find(({ configKey }) => configKey === key);
    return edge && columns.find(edge.sourceId);
  };
  const [source, labels] = [sourceAt('source'), sourceAt('label_source')];
  if (!source) return null;
  const type = columns.type(column);
  const config = parseConfig(type, column.config);
  const found: AggregatedValue = await type.plugin.aggregate!(config, equalCells(tx, sheet, source));
  const labelled = labels && found.row !== null ? [{ columnKey: labels.key, rowIndex: found.row }] : [];
  const [label] = labelled.length > 0 ? await readSingleCells(tx, sheet.workspaceId, labelled) : [];
  return { value: found.value, label: valueOf(label), details: found.details };
}

async function* equalCells(tx: EntityManager, sheet: Sheet, source: SheetColumn): AsyncGenerator<EqualCells[]> {
  for await (const groups of readValueGroups(tx, sheet, [source.key])) yield groups;
}
