import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Sought } from '../../platform/database/erase-rows.js';
import { allowLongStatements } from '../../platform/database/within-time.js';
import { groupBy } from '../../platform/group-by.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { lockLiveSheet } from '../../grid/shared/lock-sheet.js';
import { deleteRows } from '../../grid/rows/delete-rows.js';
import { RowSet } from '../../grid/shared/row-set.js';
import {
  deleteCellsOf,
  deleteRowVerdicts,
  forgetImportedTraces,
  type MadeCalls,
  readMadeCalls,
} from './erase-rows.queries.js';
import { forgetQuotes, restartCalculations } from './erase-scores.queries.js';
import {
  copiesOf,
  countRunningImports,
  mirrorsOf,
  type RowOrigin,
  rowsKeptSince,
  rowsOfLogs,
  rowsOfTraces,
  rowsThatMention,
  rowsWithCells,
  type SheetCopy,
  versionsWithout,
} from './find-rows.queries.js';
import { FoundRows, type RowsOfSheet } from './found-rows.js';

/** Rows that are erased in one transaction. */
const AT_ONCE = 200;

/** Counts of the data in rows. */
interface HeldByRows extends MadeCalls {
  rows: number;
  /** Includes cells of old versions. */
  cells: number;
}

/**
 * The rows of sheets that are about a person. They are found by their import and by their content, and copies of them
 * as well.
 */
@Injectable()
export class PersonalRows {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * Finds the rows to erase, in batches that are small enough for one transaction. A row comes before its copies.
   * `known` are rows that are about the person whatever their content.
   */
  async find(sought: Sought, known: Sought['rows']): Promise<RowsOfSheet[]> {
    return this.db.transaction(async (tx) => {
      await allowLongStatements(tx);
      const found = await findAll(tx, sought, known);
      const portions: RowsOfSheet[] = [];
      for (const sheetId of found.sheetIds) {
        const all = found.of(sheetId);
        const left = await rowsWithCells(tx, sought.workspaceId, { sheetId, rows: all });
        const rows = all.filter(({ row }) => left.has(row)).toSorted((a, b) => a.row - b.row);
        for (let at = 0; at < rows.length; at += AT_ONCE)
          portions.push({ sheetId, rows: rows.slice(at, at + AT_ONCE) });
      }
      return portions;
    });
  }

  /** Imports that have not written their rows yet. */
  countRunningImports(sought: Sought): Promise<number> {
    return countRunningImports(this.db.manager, sought);
  }

  async count(workspaceId: number, portion: RowsOfSheet): Promise<HeldByRows> {
    return { rows: portion.rows.length, ...(await readMadeCalls(this.db.manager, workspaceId, portion)) };
  }

  /** Deletes rows as a user would, as a new version, and then their content in older versions. */
  async erase(tx: EntityManager, workspaceId: number, portion: RowsOfSheet): Promise<void> {
    const { sheetId, rows } = portion;
    const sheet = await lockLiveSheet(tx, workspaceId, sheetId);
    const present = rows.filter(({ until }) => until === null).map(({ row }) => row);
    const existing = sheet ? RowSet.of(present).intersect(sheet.rows) : RowSet.EMPTY;
    if (sheet && !existing.isEmpty) {
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const server = {
        workspaceId,
        keyId: null,
        keyName: null,
        roles: [],
        grants: new Set<never>(),
        user: null,
        requestId: '',
      };
      await deleteRows(tx, server, { sheet, columns }, existing);
    }
    await deleteCellsOf(tx, workspaceId, portion);
    await deleteRowVerdicts(tx, workspaceId, portion);
    // The quotes of a calculation are either stored by now, or never will be.
    await restartCalculations(tx, workspaceId, sheetId);
    await forgetQuotes(tx, workspaceId, sheetId);
    await forgetImportedTraces(tx, workspaceId, portion);
  }
}

async function findAll(tx: EntityManager, sought: Sought, known: Sought['rows']): Promise<FoundRows> {
  const { workspaceId } = sought;
  const found = new FoundRows();
  const came = [...(await rowsOfLogs(tx, sought)), ...(await rowsOfTraces(tx, sought))];
  await addOrigins(tx, workspaceId, found, came);
  for (const { sheetId, row } of known) found.add(sheetId, { row, from: 0, until: null });
  for (const table of ['cells', 'cell_history'] as const) {
    for (const { sheetId, ...row } of await rowsThatMention(tx, sought, table)) found.add(sheetId, row);
  }
  await addCopies(tx, workspaceId, found);
  return found;
}

/** Adds rows with the versions in which they existed; returns the sheets with new rows. */
async function addOrigins(
  tx: EntityManager,
  workspaceId: number,
  found: FoundRows,
  origins: Pick<RowOrigin, 'sheetId' | 'row' | 'from'>[],
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const same of groupBy(origins, ({ sheetId, from }) => `${sheetId}:${from}`).values()) {
    const { sheetId, from } = same[0]!;
    const kept = await rowsKeptSince(tx, workspaceId, sheetId, from);
    const rows = [...new Set(same.map(({ row }) => row))];
    const gone = rows.filter((row) => !kept.has(row));
    const until = await versionsWithout(tx, workspaceId, { sheetId, from, rows: gone });
    for (const row of rows) {
      if (found.add(sheetId, { row, from, until: until.get(row) ?? null })) changed.add(sheetId);
    }
  }
  return changed;
}

/** Adds the copies of rows, and the copies of these, recursively. */
async function addCopies(tx: EntityManager, workspaceId: number, found: FoundRows): Promise<void> {
  for (let sheetIds = found.sheetIds; sheetIds.length > 0;) {
    const copied = (await copiesOf(tx, workspaceId, sheetIds)).flatMap((copy) => copiedRows(copy, found));
    const mirrored = (await mirrorsOf(tx, workspaceId, sheetIds)).flatMap(({ sourceId, sheetId }) =>
      found.of(sourceId).flatMap(({ row, until }) => (until === null ? [{ sheetId, row }] : [])),
    );
    const changed = await addOrigins(tx, workspaceId, found, copied);
    for (const { sheetId, row } of mirrored) {
      if (found.add(sheetId, { row, from: 0, until: null })) changed.add(sheetId);
    }
    sheetIds = [...changed];
  }
}

function copiedRows({ sourceId, sheetId, firstRow, from, rows }: SheetCopy, found: FoundRows) {
  const sought = found.indexesOf(sourceId);
  const copied: { sheetId: string; row: number; from: number }[] = [];
  let position = 0;
  for (const range of rows.ranges) {
    for (let row = range.from; row < range.to; row++, position++) {
      if (sought.has(row)) copied.push({ sheetId, row: firstRow + position, from });
    }
  }
  return copied;
}
