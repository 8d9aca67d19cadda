import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { ColumnEdge, SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { withIds } from '../../grid/columns/with-ids.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { queueCells, type QueuedCells } from '../../grid/computing/queue-cells.js';
import { RowSet } from '../../grid/shared/row-set.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import { ChunkStates } from '../../grid/states/chunk-states.js';
import { OwnedSheets } from '../owned-sheets/owned-sheets.js';
import type { CellUse, RegressionRequest } from './regression.entity.js';
import { columnsToCopy, readContent, rowsToCompute, type VersionContent } from './version-content.js';

/** Copied cells have the version 0, which distinguishes them from computed ones. */
const FIRST_VERSION = 1;

const COPY = new Statement(`
  INSERT INTO cells (workspace_id, column_key, row_index, version, value, display_value, input_hash, error, metrics)
  SELECT $1, k.target, c.row_index, 0, c.value, c.display_value, c.input_hash, c.error, c.metrics
    FROM unnest($2::bigint[], $3::bigint[]) k (source, target), LATERAL (
      SELECT row_index, value, display_value, input_hash, error, metrics FROM cells
       WHERE workspace_id = $1 AND column_key = k.source AND version <= $4 AND row_index <@ $5::int4multirange
      UNION ALL
      SELECT row_index, value, display_value, input_hash, error, metrics FROM cell_history
       WHERE workspace_id = $1 AND column_key = k.source AND version_from <= $4 AND version_to > $4
         AND row_index <@ $5::int4multirange) c`);

const COUNT = new Statement<CellUse>(`
  SELECT count(*) FILTER (WHERE version < ${FIRST_VERSION})::int AS stored,
         count(*) FILTER (WHERE version >= ${FIRST_VERSION} AND error IS NOT NULL)::int AS failed,
         count(*) FILTER (WHERE version >= ${FIRST_VERSION} AND error IS NULL AND metrics ? 'reused_from')::int AS reused,
         count(*) FILTER (WHERE version >= ${FIRST_VERSION} AND error IS NULL AND (metrics ? 'reused_from') IS NOT TRUE)::int
           AS computed
    FROM cells WHERE workspace_id = $1 AND column_key = ANY($2::bigint[])`);

const FORGET_CELLS = ['cells', 'cell_history'].map(
  (table) =>
    new Statement(`DELETE FROM ${table} WHERE workspace_id = $1 AND column_key IN (
      SELECT key FROM sheet_columns WHERE workspace_id = $1 AND sheet_id = $2)`),
);

/** A copy, and the ids of its columns by those in the sheet. */
export interface ScratchSheet {
  sheet: Sheet;
  columns: SheetColumns;
  ids: ReadonlyMap<string, string>;
}

/** Copies of versions, for computing the cells that are not up to date there. They are not visible. */
@Injectable()
export class ScratchSheets {
  constructor(
    private readonly types: ColumnTypes,
    private readonly sheets: OwnedSheets,
    private readonly notifier: ComputationNotifier,
  ) {}

  /** Reads a version, and which of its cells a copy would have to compute. */
  readVersion(
    tx: EntityManager,
    sheet: Sheet,
    wanted: { request: RegressionRequest; version: number },
  ): Promise<VersionContent> {
    return readContent(tx, this.types, sheet, wanted);
  }

  /**
   * Copies the rows of a version that need computing, with the columns that the scores depend on. Queues the missing
   * cells, with a limit of the cost in US dollars. Notify after the commit. The copied sheet must be locked.
   */
  async create(
    tx: EntityManager,
    { workspaceId, title }: Sheet,
    content: VersionContent,
    maxCost: number | null,
  ): Promise<{ sheet: Sheet; queued: QueuedCells | null }> {
    const sheet = await this.sheets.create(tx, { workspaceId, owner: 'regression', title });
    Object.assign(sheet, { rows: rowsToCompute(content), version: FIRST_VERSION });
    await tx.update(Sheet, { workspaceId, id: sheet.id }, { rows: sheet.rows, version: sheet.version });
    const kept = columnsToCopy(content);
    await insertColumns(tx, sheet, content.columns, kept);
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const cells = await copyCells(tx, { sheet, pairs: pairsOf(kept, columns) }, content);
    return { sheet, queued: await queueCells(tx, sheet, columns, { cells, maxCost }) };
  }

  /** A copy of a version, with the copies of the scored columns; null when it was deleted. */
  async read(
    tx: EntityManager,
    workspaceId: number,
    id: string,
    content: VersionContent,
  ): Promise<ScratchSheet | null> {
    const sheet = await this.sheets.find(tx, workspaceId, id);
    if (!sheet) return null;
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const pairs = pairsOf(columnsToCopy(content), columns);
    return { sheet, columns, ids: new Map(pairs.map(({ source, copy }) => [source.id, copy.id])) };
  }

  async countCells(tx: EntityManager, { workspaceId }: Sheet, columns: SheetColumns): Promise<CellUse> {
    const [counts] = await COUNT.run(tx, [workspaceId, int8Array(columns.computed.map(({ key }) => Number(key)))]);
    return counts!;
  }

  /** Ends the computations in a copy, and deletes its content. */
  async delete(tx: EntityManager, workspaceId: number, id: string): Promise<void> {
    const sheet = await this.sheets.lock(tx, workspaceId, id);
    if (!sheet) return;
    await this.sheets.delete(tx, sheet, 'The search has ended.');
    for (const forget of FORGET_CELLS) await forget.run(tx, [workspaceId, id]);
  }

  /** Call it after the commit of `create`. */
  notify(queued: QueuedCells | null): void {
    this.notifier.notify(queued);
  }

  /** Call it after the commit of `delete`: other cells may have waited. */
  notifyDeleted(): void {
    this.notifier.notifyBoth();
  }
}

/** Pairs columns with their copies: both are in the order in which they are shown. */
function pairsOf(list: SheetColumn[], copies: SheetColumns): CopyOf['pairs'] {
  return list.map((source, at) => ({ source, copy: copies.list[at]! }));
}

/** Adds copies of columns to a new sheet, with the edges between them. */
async function insertColumns(
  tx: EntityManager,
  { workspaceId, id: sheetId, version }: Sheet,
  columns: SheetColumns,
  list: SheetColumn[],
): Promise<void> {
  const ids = new Map(list.map(({ id }) => [id, randomUUID() as string]));
  for (const column of list) {
    const { owner, title, type, config, positionRank, isOutputColumn } = column;
    const copy = { owner, title, type, config: withIds(config, ids) as object, positionRank, isOutputColumn };
    await tx.insert(SheetColumn, { ...copy, workspaceId, sheetId, id: ids.get(column.id)!, version });
  }
  const edges = list.flatMap((column) =>
    columns.edgesOf(column).flatMap(({ sourceId, ordinal, configKey, configMeta }) => {
      const source = ids.get(sourceId);
      const edge = { workspaceId, sheetId, columnId: ids.get(column.id)!, ordinal, configKey };
      return source ? [{ ...edge, sourceId: source, configMeta: configMeta as object | null }] : [];
    }),
  );
  if (edges.length > 0) await tx.insert(ColumnEdge, edges);
}

interface CopyOf {
  sheet: Sheet;
  pairs: { source: SheetColumn; copy: SheetColumn }[];
}

/** Copies the cells that are up to date. Returns the others, which are stale from the beginning. */
async function copyCells(
  tx: EntityManager,
  { sheet, pairs }: CopyOf,
  { missing, sheetVersion }: VersionContent,
): Promise<Map<SheetColumn, RowSet>> {
  const { workspaceId, rows, version } = sheet;
  const copy = (some: CopyOf['pairs'], from: RowSet) => {
    const keys = (list: SheetColumn[]) => int8Array(list.map(({ key }) => Number(key)));
    const columns = [keys(some.map(({ source }) => source)), keys(some.map((pair) => pair.copy))];
    return COPY.run(tx, [workspaceId, ...columns, sheetVersion, from.toString()]);
  };
  const computed = pairs.filter(({ source }) => missing.has(source.key));
  await copy(
    pairs.filter((pair) => !computed.includes(pair)),
    rows,
  );
  const states = ChunkStates.of(workspaceId, []);
  const cells = new Map<SheetColumn, RowSet>();
  for (const pair of computed) {
    const open = missing.get(pair.source.key)!.intersect(rows);
    const known = rows.without(open);
    if (!known.isEmpty) await copy([pair], known);
    if (open.isEmpty) continue;
    states.markStale(pair.copy.key, open);
    cells.set(pair.copy, open);
  }
  await states.save(tx, version);
  return cells;
}
