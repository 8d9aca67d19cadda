import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../platform/json.js';
import type { RegisteredColumnType } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { parseConfig } from '../column-type/parse-config.js';
import { sourceFields } from '../column-type/source-fields.js';
import { DependencyGraph } from './dependency-graph.js';
import { GridErrors } from '../shared/grid.errors.js';
import { type ColumnState, stateOf } from './column-state.js';
import type { SheetColumn } from './column.entity.js';
import { type GivenDependency, keptDependencies, type ResolvedEdge, resolveReferences } from './references.js';
import { requireNamesInTexts } from './retitled-readers.js';
import type { SheetColumns } from './sheet-columns.js';

/** A change of a column; absent keys stay as they are. */
export interface ColumnPatch {
  title?: string;
  config?: JsonObject;
  dependencies?: GivenDependency[];
  isOutputColumn?: boolean;
}

/**
 * Returns the state of a column after a change. Throws when its type does not accept the config, when the config refers
 * to no column or to several, and when columns would depend on each other.
 */
export function changedState(
  columns: SheetColumns,
  column: SheetColumn,
  type: RegisteredColumnType,
  patch: ColumnPatch,
): ColumnState {
  const before = stateOf(columns, column);
  const { title = before.title, isOutputColumn = before.isOutputColumn } = patch;
  const retyped = type.options.name !== before.type;
  if (!retyped && !patch.config && !patch.dependencies) return { ...before, title, isOutputColumn };
  const config = patch.config ?? configFor(type, before, retyped);
  const parsed = parseConfig(type, config);
  const fields = sourceFields(type.options.config);
  const old = columns.type(column);
  const earlier = {
    fields: sourceFields(old.options.config),
    config: parseOrRaw(old, before.config),
    edges: before.edges,
  };
  const given = keptDependencies(earlier, { fields, config: parsed }, patch.dependencies ?? null);
  const edges = resolveReferences(fields, parsed, given, columns.ofSheet);
  requireNamesInTexts(type, { config: parsed, edges }, columns.ofSheet);
  assertAcyclic(columns, column, edges);
  return { title, type: type.options.name, config, isOutputColumn, edges };
}

/** The parts in which two states of a column differ. */
export function changedParts(before: ColumnState, after: ColumnState): (keyof ColumnState)[] {
  const parts = Object.keys(before) as (keyof ColumnState)[];
  return parts.filter((part) => !isDeepStrictEqual(before[part], after[part]));
}

/** A column that becomes text needs no config; any other keeps its config. */
function configFor(type: RegisteredColumnType, before: ColumnState, retyped: boolean): JsonObject {
  return retyped && rulesOf(type.options.kind).edits === 'value' ? {} : before.config;
}

/** The parsed config, or the stored one when the type does not accept it any more. */
function parseOrRaw(type: RegisteredColumnType, config: JsonObject): JsonObject {
  try {
    return parseConfig(type, config);
  } catch {
    return config;
  }
}

/** Throws cycle_detected, naming the columns, when the edges would let a column depend on itself. */
function assertAcyclic(columns: SheetColumns, column: SheetColumn, edges: ResolvedEdge[]): void {
  const others = columns.edges.filter((edge) => edge.columnId !== column.id);
  // Includes edges without an effect now: the type of a column may change.
  const graph = new DependencyGraph(
    others.map(({ columnId, sourceId }) => ({ dependent: columnId, source: sourceId })),
  );
  for (const { sourceId } of edges) {
    const path = graph.path(sourceId, column.id);
    if (path) throw GridErrors.cycle_detected([column.id, ...path].map((id) => columns.find(id)!.title));
  }
}
