import type { EntityManager } from 'typeorm';
import { int4Array, int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { chunkOf, type RowRange, RowSet } from '../shared/row-set.js';

interface ChunkState {
  columnKey: string;
  chunkNo: number;
  stale: RowSet;
  failed: RowSet;
}

/** A chunk as it is stored: sets of rows in PostgreSQL's text form. */
export interface ChunkRow {
  columnKey: string;
  chunkNo: number;
  stale: string;
  failed: string;
}

const READ = new Statement<ChunkRow>(`
  SELECT column_key AS "columnKey", chunk_no AS "chunkNo", stale, failed FROM column_chunks
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND chunk_no >= $3 AND chunk_no < $4`);

/** Moves the previous state of a chunk to the history, once per version. */
const SAVE = new Statement(`
  WITH next AS MATERIALIZED (
    SELECT * FROM unnest($3::bigint[], $4::int[], $5::text[], $6::text[]) AS n (column_key, chunk_no, stale, failed)
  ), archived AS (
    INSERT INTO column_chunk_history (workspace_id, column_key, chunk_no, version_from, version_to, stale, failed)
    SELECT c.workspace_id, c.column_key, c.chunk_no, c.version, $2, c.stale, c.failed
      FROM next n JOIN column_chunks c ON c.workspace_id = $1 AND c.column_key = n.column_key AND c.chunk_no = n.chunk_no
     WHERE c.version < $2)
  INSERT INTO column_chunks (workspace_id, column_key, chunk_no, version, stale, failed)
  SELECT $1, column_key, chunk_no, $2, stale::int4multirange, failed::int4multirange FROM next
  ON CONFLICT (workspace_id, column_key, chunk_no) DO UPDATE SET
    version = excluded.version, stale = excluded.stale, failed = excluded.failed`);

/**
 * The stale and failed cells of some computed columns. Read, change and save it within one transaction that holds the
 * lock of the sheet.
 */
export class ChunkStates {
  /** By column and chunk. */
  private readonly states = new Map<string, Map<number, ChunkState>>();
  private readonly changed = new Set<ChunkState>();

  private constructor(private readonly workspaceId: number) {}

  static async read(
    tx: EntityManager,
    workspaceId: number,
    columnKeys: string[],
    rows: RowRange,
  ): Promise<ChunkStates> {
    if (columnKeys.length === 0 || rows.from >= rows.to) return new ChunkStates(workspaceId);
    const chunks = [chunkOf(rows.from), chunkOf(rows.to - 1) + 1];
    return ChunkStates.of(workspaceId, await READ.run(tx, [workspaceId, columnKeys, ...chunks]));
  }

  /** Creates states from rows that were read elsewhere, such as those of an earlier version. */
  static of(workspaceId: number, rows: ChunkRow[]): ChunkStates {
    const states = new ChunkStates(workspaceId);
    for (const row of rows) {
      const state = { ...row, stale: RowSet.parse(row.stale), failed: RowSet.parse(row.failed) };
      states.column(row.columnKey).set(row.chunkNo, state);
    }
    return states;
  }

  isStale(columnKey: string, row: number): boolean {
    return this.states.get(columnKey)?.get(chunkOf(row))?.stale.has(row) ?? false;
  }

  isFailed(columnKey: string, row: number): boolean {
    return this.states.get(columnKey)?.get(chunkOf(row))?.failed.has(row) ?? false;
  }

  /** The stale rows of a column among those that were read. */
  stale(columnKey: string): RowSet {
    return RowSet.union(this.ofColumn(columnKey).map((state) => state.stale));
  }

  failed(columnKey: string): RowSet {
    return RowSet.union(this.ofColumn(columnKey).map((state) => state.failed));
  }

  /** Splits rows of a column that are not pending by the state of their cells. */
  split(columnKey: string, idle: RowSet): { stale: RowSet; failed: RowSet; completed: RowSet } {
    const stale = this.stale(columnKey).intersect(idle);
    const failed = this.failed(columnKey).intersect(idle).without(stale);
    return { stale, failed, completed: idle.without(stale).without(failed) };
  }

  /** Marks rows stale; returns how many became stale. */
  markStale(columnKey: string, rows: RowSet): number {
    let added = 0;
    for (const chunkNo of rows.chunks()) {
      const state = this.at(columnKey, chunkNo);
      const fresh = rows.inChunk(chunkNo).without(state.stale);
      if (fresh.isEmpty) continue;
      added += fresh.count;
      state.stale = state.stale.union(fresh);
      this.changed.add(state);
    }
    return added;
  }

  /** Records the end of a computation: its rows are not stale any more, and these failed. */
  settle(columnKey: string, succeeded: RowSet, failed: RowSet): void {
    const settled = succeeded.union(failed);
    for (const chunkNo of settled.chunks()) {
      const state = this.at(columnKey, chunkNo);
      const here = settled.inChunk(chunkNo);
      const stale = state.stale.without(here);
      const failing = state.failed.without(here).union(failed.inChunk(chunkNo));
      if (stale.equals(state.stale) && failing.equals(state.failed)) continue;
      Object.assign(state, { stale, failed: failing });
      this.changed.add(state);
    }
  }

  /** Removes the states of rows that were deleted or have no state any more: they are neither stale nor failed. */
  forget(columnKey: string, rows: RowSet): void {
    for (const state of this.ofColumn(columnKey)) {
      const [stale, failed] = [state.stale.without(rows), state.failed.without(rows)];
      if (stale.equals(state.stale) && failed.equals(state.failed)) continue;
      Object.assign(state, { stale, failed });
      this.changed.add(state);
    }
  }

  /** True when there is something to save. */
  get isChanged(): boolean {
    return this.changed.size > 0;
  }

  /** Writes what was changed as part of a sheet version. */
  async save(tx: EntityManager, version: number): Promise<void> {
    const changed = [...this.changed];
    if (changed.length === 0) return;
    this.changed.clear();
    await SAVE.run(tx, [
      this.workspaceId,
      version,
      int8Array(changed.map((state) => Number(state.columnKey))),
      int4Array(changed.map((state) => state.chunkNo)),
      textArray(changed.map((state) => state.stale.toString())),
      textArray(changed.map((state) => state.failed.toString())),
    ]);
  }

  private ofColumn(columnKey: string): ChunkState[] {
    return [...(this.states.get(columnKey)?.values() ?? [])];
  }

  private column(columnKey: string): Map<number, ChunkState> {
    let chunks = this.states.get(columnKey);
    if (!chunks) this.states.set(columnKey, (chunks = new Map()));
    return chunks;
  }

  private at(columnKey: string, chunkNo: number): ChunkState {
    const chunks = this.column(columnKey);
    let state = chunks.get(chunkNo);
    if (!state) chunks.set(chunkNo, (state = { columnKey, chunkNo, stale: RowSet.EMPTY, failed: RowSet.EMPTY }));
    return state;
  }
}
