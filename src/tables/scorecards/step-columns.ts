import type { EntityManager } from 'typeorm';
import { Problem } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json.js';
import { NamedColumns } from '../../grid/cells/named-columns.js';
import type { ColumnTypes, RegisteredColumnType } from '../../grid/column-type/column-type.js';
import { rulesOf } from '../../grid/column-type/kinds.js';
import { parseConfig, requireReferences } from '../../grid/column-type/parse-config.js';
import { sourceFields } from '../../grid/column-type/source-fields.js';
import { deleteColumns, rewriteColumn } from '../../grid/columns/archive-columns.js';
import { changedParts } from '../../grid/columns/column-change.js';
import { type ColumnState, stateOf } from '../../grid/columns/column-state.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { insertColumn } from '../../grid/columns/insert-column.js';
import { keptDependencies, resolveReferences } from '../../grid/columns/references.js';
import { requireNamesInTexts } from '../../grid/columns/retitled-readers.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { GridErrors } from '../../grid/grid.errors.js';
import { relinkColumn } from '../../grid/prompt-links/column-prompts.queries.js';
import type { Sheet } from '../../grid/sheet.entity.js';
import { markStale } from '../../grid/states/mark-stale.js';
import { type GivenStep, readAdapter, readThresholds } from './given-scorecard.js';
import type { StepSettings } from './scorecard-config.js';
import { ScorecardErrors } from './scorecards.errors.js';

/** A step that was read and found to be in order; its column is written later. */
export interface PreparedStep {
  /** null for a new step. */
  column: SheetColumn | null;
  type: RegisteredColumnType;
  /** The config as its type understands it. */
  parsed: JsonObject;
  state: ColumnState;
  settings: Omit<StepSettings, 'id'>;
}

/** Where steps are put. */
export interface StepPlace {
  types: ColumnTypes;
  sheet: Sheet;
  columns: SheetColumns;
  /** What is known of the steps there are. */
  existing: StepSettings[];
}

/** Whether a column type can be a step: its results have to be computed. */
export function isPrimitive({ options: { kind } }: RegisteredColumnType): boolean {
  return rulesOf(kind).computes || kind === 'aggregate';
}

/** The steps in the order they are shown. Throws what is wrong with the first one that cannot be a step, and which one that is. */
export async function prepareSteps(tx: EntityManager, place: StepPlace, given: GivenStep[]): Promise<PreparedStep[]> {
  const ordered = given
    .map((step, index) => ({ step, name: `steps[${index}]`, order: step.order_index ?? index }))
    .sort((a, b) => a.order - b.order);
  const kept = new Set<string>();
  const prepared: PreparedStep[] = [];
  for (const { step, name, order } of ordered) {
    const column = (step.id && place.columns.steps.find(({ id }) => id === step.id!.toLowerCase())) || null;
    if (column && kept.has(column.id)) throw ScorecardErrors.scorecard_invalid(name, 'Another step has the same id.');
    if (column) kept.add(column.id);
    prepared.push(await inStep(name, () => prepare(tx, place, { step, name, order, column })));
  }
  return prepared;
}

interface NamedStep {
  step: GivenStep;
  name: string;
  order: number;
  column: SheetColumn | null;
}

async function prepare(tx: EntityManager, place: StepPlace, named: NamedStep): Promise<PreparedStep> {
  const { step, name, column } = named;
  const type = place.types.find(step.primitive_type);
  if (!type || !isPrimitive(type)) throw ScorecardErrors.primitive_type_unknown(name, step.primitive_type);
  const config = (step.primitive_config ?? {}) as JsonObject;
  const parsed = parseConfig(type, config);
  await requireReferences(tx, type, parsed, place.sheet);
  const edges = edgesOf(place.columns, type, { parsed, column, sources: step.source_column_ids ?? [] });
  requireNamesInTexts(type, { config: parsed, edges }, place.columns.ofSheet);
  const state = { title: step.title, type: type.options.name, config, isOutputColumn: false, edges };
  return { column, type, parsed, state, settings: toSettings(place, named) };
}

/** What the config reads, and the columns that it does not name. A kept step that says the same still means the same columns. */
function edgesOf(
  columns: SheetColumns,
  type: RegisteredColumnType,
  { parsed, column, sources }: { parsed: JsonObject; column: SheetColumn | null; sources: string[] },
) {
  const fields = sourceFields(type.options.config);
  const before = column && {
    fields: sourceFields(columns.type(column).options.config),
    config: column.config,
    edges: stateOf(columns, column).edges.filter(({ configKey }) => configKey !== null),
  };
  const given = before ? keptDependencies(before, { fields, config: parsed }, null) : [];
  const edges = resolveReferences(fields, parsed, given, columns.ofSheet);
  const read = new Set(edges.map(({ sourceId }) => sourceId));
  const others = findColumns(columns, 'source_column_ids', sources).filter((id) => !read.has(id));
  const further = others.map((sourceId) => ({ sourceId, configKey: null, configMeta: null }));
  return [...edges, ...further];
}

/** The ids of columns that are named by id or title, each once. Throws column_reference_unknown or column_reference_ambiguous. */
export function findColumns(columns: SheetColumns, place: string, names: string[]): string[] {
  const named = new NamedColumns(columns);
  const found = names.map((name) => {
    const column = named.find(place, name);
    if (!column) throw GridErrors.column_reference_unknown(place, name);
    return column.id;
  });
  return [...new Set(found)];
}

function toSettings({ columns, existing }: StepPlace, { step, name, order, column }: NamedStep) {
  const known = existing.find(({ id }) => id === column?.id);
  const now = new Date().toISOString();
  const idOf = (key: 'target_column_id' | 'backing_column_id') => {
    const id = step[key];
    return id ? findColumns(columns, key, [id])[0]! : null;
  };
  return {
    weight: step.weight ?? 1,
    required: step.required ?? false,
    thresholds: readThresholds(name, step.thresholds),
    scoreAdapter: readAdapter(name, step.score_adapter),
    description: step.description ?? null,
    evidenceMode: step.evidence_mode ?? null,
    orderIndex: order,
    targetColumnId: idOf('target_column_id'),
    backingColumnId: idOf('backing_column_id'),
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  };
}

/**
 * Makes the columns of a scorecard those of its steps, as part of the version that was just recorded. Cells of steps that
 * compute something else now are stale. The sheet must be locked.
 */
export async function writeSteps(
  tx: EntityManager,
  { sheet, columns }: StepPlace,
  steps: PreparedStep[],
): Promise<StepSettings[]> {
  const kept = new Set(steps.flatMap(({ column }) => column?.id ?? []));
  const removed = columns.steps.filter(({ id }) => !kept.has(id));
  if (removed.length > 0) {
    await deleteColumns(
      tx,
      sheet,
      removed.map(({ id }) => id),
    );
  }
  const written: StepSettings[] = [];
  const redefined: SheetColumn[] = [];
  for (const step of steps) {
    const { column, isRedefined } = await writeStep(tx, sheet, columns, step);
    if (isRedefined && rulesOf(step.type.options.kind).hasStates) redefined.push(column);
    written.push({ ...step.settings, id: column.id });
  }
  if (redefined.length > 0) await markStale(tx, sheet, redefined, sheet.rows);
  return written;
}

async function writeStep(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { column: existing, type, parsed, state }: PreparedStep,
): Promise<{ column: SheetColumn; isRedefined: boolean }> {
  const parts = existing ? changedParts(stateOf(columns, existing), state) : [];
  if (existing && parts.length === 0) return { column: existing, isRedefined: false };
  const column = existing
    ? await rewriteColumn(tx, sheet, existing.id, state)
    : await insertColumn(tx, sheet, { owner: 'scorecard', ...state, version: sheet.version });
  await relinkColumn(tx, column, type.plugin.prompts?.(parsed) ?? []);
  return { column, isRedefined: !existing || parts.some((part) => part !== 'title') };
}

/** Says in a refusal which step is meant. */
async function inStep<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.message.startsWith(name)) throw error;
    throw new Problem(error.status, error.code, `${name}: ${error.message}`, error.extra);
  }
}
