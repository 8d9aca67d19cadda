import { inPortions } from '../../platform/in-portions.js';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { RegisteredColumnType } from '../column-type/column-type.js';
import { parseConfig } from '../column-type/parse-config.js';
import { sourceFields } from '../column-type/source-fields.js';
import type { ColumnGuard } from './column-guard.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { ColumnEdge, SheetColumn } from './column.entity.js';
import { RANK_GAP, toEdgeRows } from './insert-column.js';
import { resolveReferences } from './references.js';
import { requireNamesInTexts } from './retitled-readers.js';

/** A computed column of a sheet whose rows are runs. */
export interface NewStep {
  /** A new UUID. */
  id: string;
  title: string;
  type: RegisteredColumnType;
  config: JsonObject;
  isOutputColumn: boolean;
  /** The ids of columns that it waits for, besides those in its config. */
  dependencies: string[];
  guard: ColumnGuard;
}

/** Rows of one INSERT: a statement takes 65,535 parameters. */
const AT_ONCE = 1000;

/**
 * Adds steps to a sheet without rows, as part of its present version, with as few statements as possible. They may
 * refer to each other in any order, but not in a cycle. Throws the errors of `parseConfig` and `resolveReferences`.
 */
export async function insertSteps(
  tx: EntityManager,
  sheet: Sheet,
  before: SheetColumn[],
  steps: NewStep[],
): Promise<void> {
  const { workspaceId, id: sheetId, version } = sheet;
  const columns = [...before, ...steps].map(({ id, title }) => ({ id, title }));
  const edges = steps.flatMap((step) =>
    toEdgeRows({ workspaceId, sheetId, columnId: step.id }, edgesOf(step, columns)),
  );
  const last = before.at(-1)?.positionRank ?? 0;
  const rows = steps.map(({ id, title, type, config, isOutputColumn, guard }, index) => ({
    workspaceId,
    sheetId,
    id,
    title,
    type: type.options.name,
    config: config as object,
    isOutputColumn,
    guard: guard as object,
    positionRank: last + (index + 1) * RANK_GAP,
    version,
  }));
  for (const part of inPortions(rows, AT_ONCE)) await tx.insert(SheetColumn, part);
  for (const part of inPortions(edges, AT_ONCE)) await tx.insert(ColumnEdge, part);
}

/** Resolves the references of the config and the other dependencies. */
function edgesOf({ type, config, dependencies }: NewStep, columns: { id: string; title: string }[]) {
  const parsed = parseConfig(type, config);
  const given = dependencies.map((columnId) => ({ columnId, configKey: null, configMeta: null }));
  const edges = resolveReferences(sourceFields(type.options.config), parsed, given, columns);
  requireNamesInTexts(type, { config: parsed, edges }, columns);
  return edges;
}
