import type { EntityManager } from 'typeorm';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { ChunkStates } from '../../grid/states/chunk-states.js';
import { canonicalJson } from '../../grid/column-type/values.js';
import type { CalculationPlan, StepSignature } from './calculation-plan.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';

export const STALE_REASONS = [
  'config_changed',
  'columns_changed',
  'inputs_changed',
  'rows_changed',
  'source_stale',
] as const;
export type StaleReason = (typeof STALE_REASONS)[number];

/** The reasons why the results of a calculation are outdated. */
export interface StaleState {
  reasons: StaleReason[];
  stepIds: string[];
  rows: RowSet;
}

/** The current state of a scorecard. */
export interface Today {
  tx: EntityManager;
  sheet: Sheet;
  columns: SheetColumns;
  plan: CalculationPlan;
}

/** Compares a completed calculation with the current scorecard and sheet. */
export async function readStaleState(today: Today, calculation: ScorecardCalculation): Promise<StaleState> {
  const changes = changedSteps(today.plan, calculation);
  const inputs = await changedInputs(today, calculation, changes);
  const { sheet } = today;
  const added = sheet.rows.without(calculation.rows);
  const removed = calculation.rows.without(sheet.rows);
  const reasons: [StaleReason, boolean][] = [
    ['config_changed', changes.isReconfigured],
    ['columns_changed', changes.resourced.length > 0],
    ['inputs_changed', inputs.stepIds.length > 0],
    ['rows_changed', !added.isEmpty || !removed.isEmpty],
  ];
  return {
    reasons: reasons.flatMap(([reason, applies]) => (applies ? [reason] : [])),
    stepIds: [...new Set([...changes.redefined, ...changes.resourced, ...inputs.stepIds])],
    rows: inputs.rows.union(added),
  };
}

interface StepChanges {
  isReconfigured: boolean;
  /** Steps with another computation or other judging rules, or new ones. */
  redefined: string[];
  /** Steps with other sources. */
  resourced: string[];
}

function changedSteps({ steps, aggregation }: CalculationPlan, { plan, result }: ScorecardCalculation): StepChanges {
  const before = result!.signatures;
  const differs = (id: string, part: keyof StepSignature, now: string) => before[id]?.[part] !== now;
  const redefined = steps.filter(({ id, signature }) => differs(id, 'config', signature.config)).map(({ id }) => id);
  const resourced = steps
    .filter(({ id, signature }) => !redefined.includes(id) && differs(id, 'sources', signature.sources))
    .map(({ id }) => id);
  const isRemoved = plan.steps.some(({ id }) => !steps.some((step) => step.id === id));
  const isAggregatedOtherwise = canonicalJson(plan.aggregation) !== canonicalJson(aggregation);
  return { isReconfigured: redefined.length > 0 || isRemoved || isAggregatedOtherwise, redefined, resourced };
}

/** Steps and rows that are outdated because sources have changed, without steps that have changed themselves. */
async function changedInputs(
  { tx, sheet, columns, plan }: Today,
  calculation: ScorecardCalculation,
  { redefined, resourced }: StepChanges,
): Promise<{ stepIds: string[]; rows: RowSet }> {
  const steps = plan.steps.filter(({ id }) => !redefined.includes(id) && !resourced.includes(id));
  const inRows = steps.filter(({ isAggregate }) => !isAggregate).map(({ id }) => columns.find(id)!);
  const keys = inRows.map(({ key }) => key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
  const scored = calculation.rows.intersect(sheet.rows);
  const stale = inRows.map(({ id, key }) => ({ id, rows: states.stale(key).intersect(scored) }));
  const touched = stale.filter(({ rows }) => !rows.isEmpty);
  const aggregates = steps.filter(({ isAggregate }) => isAggregate);
  const changed = aggregates.length > 0 ? await changedSources(tx, columns, calculation) : new Set<string>();
  const outdated = aggregates.filter(({ sources }) => sources.some((id) => changed.has(id)));
  return {
    stepIds: [...touched, ...outdated].map(({ id }) => id),
    rows: RowSet.union(touched.map(({ rows }) => rows)),
  };
}

/**
 * Sources of steps that are computed once per column, if a cell has changed since the calculation. An operation may have
 * stored later results in the version that was scored.
 */
async function changedSources(
  tx: EntityManager,
  columns: SheetColumns,
  { workspaceId, version, completedAt, plan }: ScorecardCalculation,
): Promise<Set<string>> {
  const ids = plan.steps.filter(({ isAggregate }) => isAggregate).flatMap(({ sources }) => sources);
  const sources = ids.flatMap((id) => columns.find(id) ?? []);
  const rows = await tx.query<{ key: string }[]>(
    `SELECT k.key FROM unnest($2::bigint[]) k (key)
      WHERE EXISTS (SELECT FROM cells c WHERE c.workspace_id = $1 AND c.column_key = k.key
                       AND (c.version > $3 OR c.version = $3 AND c.updated_at > $4))`,
    [workspaceId, sources.map(({ key }) => key), version, completedAt],
  );
  const keys = new Set(rows.map(({ key }) => key));
  return new Set(sources.filter(({ key }) => keys.has(key)).map(({ id }) => id));
}
