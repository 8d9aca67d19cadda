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
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { relinkColumn } from '../../grid/prompt-links/column-prompts.queries.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { markStale } from '../../grid/states/mark-stale.js';
import { type GivenStep, readAdapter, readThresholds } from './given-scorecard.js';
import type { StepSettings } from './scorecard-config.js';
import { ScorecardErrors } from './scorecards.errors.js';

/** A validated step; its column is written later. */
export interface PreparedStep {
  /** null for a new step. */
  column: SheetColumn | null;
  type: RegisteredColumnType;
  /** The parsed config. */
  parsed: JsonObject;
  state: ColumnState;
  settings: Omit<StepSettings, 'id'>;
}

/** The sheet and the columns for new steps. */
export interface StepPlace {
  types: ColumnTypes;
  sheet: Sheet;
  columns: SheetColumns;
  /** The settings of the existing steps. */
  existing: StepSettings[];
}

/** Whether a column type can be a step: its results have to be computed. */
export function isPrimitive({ options: { kind } }: RegisteredColumnType): boolean {
  return rulesOf(kind).computes || kind === 'aggregate';
}

/** Validates the steps in the order they are shown. Throws the error of the first invalid one, with its name. */
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

/**
 * Returns the columns that the config reads and other sources. A kept step with the same config still reads the same
 * columns.
 */
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

/**
 * Finds columns by id or title and returns their ids without duplicates. Throws column_reference_unknown or
 * column_reference_ambiguous.
 */
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
 * Writes the columns of a scorecard's steps, as part of the version that was just recorded. Cells of steps with another
 * computation become stale. The sheet must be locked.
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

/** Adds the name of the step to the message of an error. */
async function inStep<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.message.startsWith(name)) throw error;
    throw new Problem(error.status, error.code, `${name}: ${error.message}`, error.extra);
  }
}
