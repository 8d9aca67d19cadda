import { type EntityManager, In, IsNull } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { lockLiveSheet } from '../../grid/shared/lock-sheet.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { AfterCommit } from '../../grid/shared/sheet-owners.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import { ChunkStates } from '../../grid/states/chunk-states.js';
import { queueCalculation, replaceConfiguration, type ScoreConfig, type ScoringType } from '../../scoring/index.js';
import {
  type CopyingImporter,
  ImportFailure,
  type ImportOperation,
  type ImportPlan,
  ImportsFrom,
  type ImportTarget,
  starterOf,
} from '../../imports/index.js';

/** The request of an operation that copies a sheet. */
export type SheetImport = {
  sheetId: string;
  /** Copies only this many rows, from the first. */
  mostRows?: number;
  /** Results of computed columns to copy as well. */
  results?: CopiedResults;
};

export type CopiedResults = {
  /** Pairs of ids of computed columns: in the other sheet, and in this one. */
  columns: [source: string, target: string][];
  /** The score of this sheet after the import; null for none. */
  score: { scoreType: ScoringType; config: ScoreConfig } | null;
};

/** Part of the plan that is stored: the location of the values. */
type Source = {
  columnKeys: string[];
  /** A multirange, as PostgreSQL writes it. */
  rows: string;
  /** Pairs of keys of computed columns: copied from, copied to. */
  results?: [source: string, target: string][];
};

/** OFFSET keeps each run of rows one scan of the index, whatever the statistics say. */
const COPY = new Statement(`
  INSERT INTO cells (workspace_id, column_key, row_index, version, value, display_value)
  SELECT $1, k.target, c.row_index + r.shift, $4, c.value, c.display_value
    FROM unnest($2::bigint[], $3::bigint[]) k (source, target), unnest($5::int[], $6::int[], $7::int[]) r (lo, hi, shift),
         LATERAL (SELECT row_index, value, display_value FROM cells
                   WHERE workspace_id = $1 AND column_key = k.source AND row_index >= r.lo AND row_index < r.hi
                  OFFSET 0) c
   WHERE c.value IS NOT NULL`);

const COPY_RESULTS = new Statement(`
  INSERT INTO cells (workspace_id, column_key, row_index, version, value, display_value, input_hash, error, metrics)
  SELECT $1, k.target, c.row_index + r.shift, $4, c.value, c.display_value, c.input_hash, c.error, c.metrics
    FROM unnest($2::bigint[], $3::bigint[]) k (source, target), unnest($5::int[], $6::int[], $7::int[]) r (lo, hi, shift),
         LATERAL (SELECT row_index, value, display_value, input_hash, error, metrics FROM cells
                   WHERE workspace_id = $1 AND column_key = k.source AND row_index >= r.lo AND row_index < r.hi
                  OFFSET 0) c
  ON CONFLICT DO NOTHING`);

/**
 * Copies the rows of another sheet, with the values of its text columns. Deleted rows leave no gap. The other sheet
 * must not change meanwhile, because only one sheet is locked.
 */
@ImportsFrom('sheet')
export class SheetImporter implements CopyingImporter {
  constructor(
    private readonly types: ColumnTypes,
    @InjectNotifier('scores') private readonly scoreWorkers: WorkNotifier,
  ) {}

  async plan(tx: EntityManager, { workspaceId, request }: ImportOperation): Promise<ImportPlan> {
    const { sheetId, mostRows, results } = request as SheetImport;
    const sheet = await tx.findOneBy(Sheet, { workspaceId, id: sheetId, deletedAt: IsNull() });
    if (!sheet) throw new ImportFailure('The sheet to copy was deleted.');
    const { inputs } = await SheetColumns.read(tx, this.types, sheet);
    const rows = mostRows === undefined ? sheet.rows : sheet.rows.part(0, mostRows);
    const pairs = results ? await keysOf(tx, workspaceId, results.columns) : [];
    const source: Source = { columnKeys: inputs.map(({ key }) => key), rows: rows.toString(), results: pairs };
    return {
      titles: inputs.map(({ title }) => title),
      rowCount: rows.count,
      source: source as JsonObject,
    };
  }

  async copy(
    tx: EntityManager,
    plan: ImportPlan,
    { workspaceId, version, columnKeys, firstRow }: ImportTarget & { workspaceId: number; version: number },
    step: { from: number; to: number },
  ): Promise<void> {
    const source = plan.source as Source;
    const runs = runsOf(RowSet.parse(source.rows), step);
    const copy = (statement: Statement, from: string[], to: string[]) =>
      statement.run(tx, [
        workspaceId,
        int8Array(from.map(Number)),
        int8Array(to.map(Number)),
        version,
        int4Array(runs.map((run) => run.from)),
        int4Array(runs.map((run) => run.to)),
        int4Array(runs.map((run) => firstRow + run.position - run.from)),
      ]);
    await copy(COPY, source.columnKeys, columnKeys);
    const { results = [] } = source;
    if (results.length === 0) return;
    await copy(
      COPY_RESULTS,
      results.map(([key]) => key),
      results.map(([, key]) => key),
    );
  }

  /** Marks copied results as up to date if they are up to date in the source. */
  async finish(
    tx: EntityManager,
    operation: ImportOperation,
    plan: ImportPlan,
    { firstRow }: ImportTarget,
  ): Promise<AfterCommit> {
    const { results } = operation.request as SheetImport;
    const sheet = results && (await lockLiveSheet(tx, operation.workspaceId, operation.sheetId));
    if (!sheet) return;
    await settleCopies(tx, sheet, plan.source as Source, firstRow);
    if (!results.score) return;
    const configuration = await replaceConfiguration(tx, sheet, results.score);
    await queueCalculation(tx, starterOf(operation).keyId, configuration!);
    return () => this.scoreWorkers.notify();
  }
}

async function settleCopies(tx: EntityManager, sheet: Sheet, source: Source, firstRow: number): Promise<void> {
  const { workspaceId, version, rows } = sheet;
  const copied = RowSet.parse(source.rows);
  const { results = [] } = source;
  const keys = results.map(([key]) => key);
  const before = await ChunkStates.read(tx, workspaceId, keys, { from: 0, to: copied.end });
  const targets = results.map(([, key]) => key);
  const states = await ChunkStates.read(tx, workspaceId, targets, { from: 0, to: rows.end });
  for (const [from, to] of results) {
    const here = (set: RowSet) => placesOf(copied, set, firstRow);
    const failed = before.failed(from).without(before.stale(from));
    states.settle(to, here(copied.without(before.stale(from)).without(failed)), here(failed));
  }
  await states.save(tx, version);
}

/** Positions of some rows of a set in the copy. */
function placesOf(rows: RowSet, some: RowSet, firstRow: number): RowSet {
  const runs = runsOf(rows, { from: 0, to: rows.count });
  return RowSet.union(
    runs.flatMap(({ from, to, position }) =>
      some
        .intersect(RowSet.range(from, to))
        .ranges.map((range) =>
          RowSet.range(range.from - from + position + firstRow, range.to - from + position + firstRow),
        ),
    ),
  );
}

async function keysOf(
  tx: EntityManager,
  workspaceId: number,
  columns: CopiedResults['columns'],
): Promise<[string, string][]> {
  const found = await tx.findBy(SheetColumn, { workspaceId, id: In(columns.flat()) });
  const byId = new Map(found.map(({ id, key }) => [id, key]));
  return columns.map(([source, target]) => [byId.get(source)!, byId.get(target)!]);
}

/** The rows `from` up to `to` of a set, counted from its first, as ranges of indexes with their positions. */
function runsOf(rows: RowSet, { from, to }: { from: number; to: number }) {
  let next = from;
  return rows.part(from, to - from).ranges.map((range) => {
    const position = next;
    next += range.to - range.from;
    return { ...range, position };
  });
}
