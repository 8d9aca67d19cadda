import type { EntityManager } from 'typeorm';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readSingleCells, valueOf } from '../grid/cells/cells.queries.js';
import type { AggregatedValue, EqualCells } from '../grid/column-type/column-type.js';
import { parseConfig } from '../grid/column-type/parse-config.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import type { SheetColumns } from '../grid/columns/sheet-columns.js';
import type { Sheet } from '../grid/sheet.entity.js';
import { readValueGroups } from '../scoring/score-cells.queries.js';
import {
  type CalculationPlan,
  type CalculationResult,
  type CriterionResult,
  type PlannedStep,
  rowSteps,
} from './calculation-plan.js';
import { CriterionTally, noVerdicts } from './criterion.js';
import { driftOf, MoveTally } from './drift.js';
import { adaptScore } from './score-adapter.js';
import type { ScoredMoment, ScoredPage } from './score-rows.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { combine, verdictOf } from './verdicts.js';

/** The result of a calculation, from those of its rows, which come page by page. */
export class SheetTally {
  private readonly counts = noVerdicts();
  private readonly steps: PlannedStep[];
  private readonly criteria: CriterionTally[];
  private readonly moves: MoveTally[];
  private readonly rowMoves = new MoveTally();
  /** Where each step stands in the rows that it is compared with. */
  private readonly places: number[];

  constructor(
    private readonly plan: CalculationPlan,
    private readonly baseline: ScorecardCalculation | null,
  ) {
    this.steps = rowSteps(plan);
    this.criteria = this.steps.map(() => new CriterionTally());
    this.moves = this.steps.map(() => new MoveTally());
    const before = baseline ? rowSteps(baseline.plan) : [];
    this.places = this.steps.map((step) => before.findIndex(({ id }) => id === step.id));
  }

  add({ rows, baseline }: ScoredPage): void {
    for (const row of rows) {
      this.counts[row.verdict]++;
      const before = baseline.get(row.rowIndex);
      this.rowMoves.add(row.score, before?.score ?? null);
      row.steps.forEach(([verdict, score], at) => {
        this.criteria[at]!.add({ verdict, score });
        this.moves[at]!.add(score, before?.steps[this.places[at]!]?.[1] ?? null);
      });
    }
  }

  /** `aggregates` are the results of the steps that are computed once per column. */
  result(aggregates: Record<string, CriterionResult>): Omit<CalculationResult, 'signatures'> {
    const criteria = { ...this.rowCriteria(), ...aggregates };
    const parts = this.plan.steps.map(({ id, weight, required }) => ({ weight, required, ...criteria[id]! }));
    const total = combine(parts, this.plan.aggregation);
    const { baseline } = this;
    const drift = baseline?.result && {
      previous_calculation_id: baseline.id,
      ...driftOf(total, baseline.result),
      ...this.rowMoves.moves,
    };
    return { ...total, counts: this.counts, criteria, drift: drift || null };
  }

  private rowCriteria(): Record<string, CriterionResult> {
    return Object.fromEntries(
      this.steps.map(({ id, thresholds }, at) => {
        const tally = this.criteria[at]!;
        const now = tally.result(thresholds);
        const before = this.baseline?.result?.criteria[id];
        const drift = before ? { ...driftOf(now, before), ...this.moves[at]!.moves } : null;
        return [id, { ...now, counts: tally.counts, drift }];
      }),
    );
  }
}

/** The results of the steps that are computed once per column, in the scope of the calculation; the others keep what they had. */
export async function scoreAggregates({ tx, sheet, columns, calculation, previous, baseline }: ScoredMoment) {
  const results: Record<string, CriterionResult> = {};
  for (const step of calculation.plan.steps.filter(({ isAggregate }) => isAggregate)) {
    const { scope } = calculation;
    const kept = scope?.stepIds?.includes(step.id) === false ? previous?.result?.criteria[step.id] : undefined;
    const result = kept ?? (await scoreAggregate(tx, sheet, columns, step));
    const before = baseline?.result?.criteria[step.id];
    results[step.id] = { ...result, drift: before ? { ...driftOf(result, before), ...new MoveTally().moves } : null };
  }
  return results;
}

async function scoreAggregate(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  step: PlannedStep,
): Promise<CriterionResult> {
  const counts = noVerdicts();
  const found = await aggregate(tx, sheet, columns, columns.find(step.id)!);
  if (!found) return { score: null, verdict: 'error', counts, value: null, drift: null };
  const { value, label, details } = found;
  const score = scoreOf(value, step);
  const verdict = score === null ? 'skipped' : verdictOf(score, step.thresholds);
  return { score, verdict, counts, value: { value, label, ...details }, drift: null };
}

/** A number from 0 to 1 is a score, and so is any that an adapter maps; other values only tell something. */
function scoreOf(value: JsonValue, { adapter }: PlannedStep): number | null {
  const adapted = adaptScore(value, adapter);
  if (!('score' in adapted)) return null;
  const isBeyond = adapter === null && typeof value !== 'boolean' && Number(value) !== adapted.score;
  return isBeyond ? null : adapted.score;
}

/** null when the column that is aggregated is gone. */
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
