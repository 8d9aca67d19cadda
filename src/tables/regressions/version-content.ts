import type { EntityManager } from 'typeorm';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import { type ColumnEdge, SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { readColumnsAt, readStatesAt } from '../../grid/versions/grid-at-version.queries.js';
import { SheetVersion } from '../../grid/shared/sheet-version.entity.js';
import { withPromptVersion } from '../../column-types/index.js';
import type { RegressionRequest } from './regression.entity.js';

/** A version to score: the content of the sheet, and the cells that are not up to date. */
export interface VersionContent {
  /** The version of the sheet with the cells. */
  sheetVersion: number;
  rows: RowSet;
  columns: SheetColumns;
  /** The columns whose cells are the scores, or the steps of the scorecard; empty where the version cannot be scored. */
  scored: SheetColumn[];
  /** Rows to compute, by the key of the column. */
  missing: Map<string, RowSet>;
}

/** Reads a version of a sheet, or the sheet with one version of a prompt. The sheet must be locked. */
export async function readContent(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { request, version }: { request: RegressionRequest; version: number },
): Promise<VersionContent> {
  const { workspaceId, id: sheetId } = sheet;
  const { prompt, scoring } = request;
  const sheetVersion = prompt?.sheetVersion ?? version;
  const { rows } = await tx.findOneByOrFail(SheetVersion, { workspaceId, sheetId, number: sheetVersion });
  const own = await readColumnsAt(tx, sheet, sheetVersion);
  const judges = scoring.by === 'scorecard' ? await readColumnsAt(tx, sheet, scoring.version) : { list: [], edges: [] };
  const isStep = ({ owner }: SheetColumn) => owner === 'scorecard';
  const steps = judges.list.filter(isStep);
  const list = own.list.filter((column) => !isStep(column)).map((column) => toCompared(column, prompt, version));
  const edgesOf = (columns: { id: string }[], edges: ColumnEdge[]) =>
    edges.filter(({ columnId }) => columns.some(({ id }) => id === columnId));
  const edges = [...edgesOf(list, own.edges), ...edgesOf(steps, judges.edges)];
  const columns = new SheetColumns([...list.map(({ column }) => column), ...steps], edges, types);
  const changed = list.filter(({ isChanged }) => isChanged).map(({ column }) => column);
  const outdated = [...columns.withDependents(changed), ...steps];
  const missing = await readMissing(tx, { workspaceId, rows, columns, outdated }, sheetVersion);
  return { sheetVersion, rows, columns, scored: scoredColumns(columns, scoring), missing };
}

/** A column for the comparison: one version of the prompt replaces the prompt that it names. */
function toCompared(column: SheetColumn, prompt: RegressionRequest['prompt'], version: number) {
  const config = prompt ? withPromptVersion(column.config, { name: prompt.name, version }) : column.config;
  const isChanged = config !== column.config;
  return {
    id: column.id,
    isChanged,
    column: isChanged ? Object.assign(new SheetColumn(), column, { config }) : column,
  };
}

/** A scorecard needs all sources of its steps in the version; scores by columns use those that the version has. */
function scoredColumns(columns: SheetColumns, scoring: RegressionRequest['scoring']): SheetColumn[] {
  if (scoring.by === 'columns') return scoring.columnIds.flatMap((id) => columns.find(id) ?? []);
  const { steps } = columns;
  const canRead = (step: SheetColumn) => columns.edgesOf(step).every(({ sourceId }) => columns.find(sourceId));
  return steps.every(canRead) ? steps : [];
}

interface StatesOf {
  workspaceId: number;
  rows: RowSet;
  columns: SheetColumns;
  outdated: SheetColumn[];
}

/** Returns the cells without a result. Failed cells are among them and computed again, because they have no score. */
async function readMissing(
  tx: EntityManager,
  { workspaceId, rows, columns, outdated }: StatesOf,
  version: number,
): Promise<Map<string, RowSet>> {
  const columnKeys = columns.computed.map(({ key }) => key);
  const range = { workspaceId, columnKeys, rows: { from: 0, to: rows.end } };
  const states = await readStatesAt(tx, range, version);
  return new Map(
    columns.computed.map(({ id, key }) => {
      const isOutdated = outdated.some((column) => column.id === id);
      const open = states.stale(key).union(states.failed(key)).intersect(rows);
      return [key, isOutdated ? rows : open];
    }),
  );
}

/** The rows that need computing before they can be scored. */
export function rowsToCompute({ scored, missing }: VersionContent): RowSet {
  return RowSet.union(scored.map(({ key }) => missing.get(key) ?? RowSet.EMPTY));
}

/** Returns the columns that scores depend on and those that people write, which distinguish blank rows from others. */
export function columnsToCopy({ columns, scored }: VersionContent): SheetColumn[] {
  const ids = scored.map(({ id }) => id);
  const wanted = new Set([...ids, ...columns.graph.allSources(ids), ...columns.given.map(({ id }) => id)]);
  return columns.list.filter(({ id }) => wanted.has(id));
}

/** Returns the cells to compute before a version can be scored. */
export function cellsToCompute(content: VersionContent): Map<SheetColumn, RowSet> {
  const rows = rowsToCompute(content);
  const cells = columnsToCopy(content).map((column) => {
    const open = content.missing.get(column.key) ?? RowSet.EMPTY;
    return [column, open.intersect(rows)] as const;
  });
  return new Map(cells.filter(([, open]) => !open.isEmpty));
}
