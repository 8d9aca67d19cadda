import type { EntityManager, QueryRunner } from 'typeorm';
import type { RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';

const KEY = 'staleNotes';

/** Rows of a sheet in which cells became stale. */
export interface StaleNote {
  sheet: Sheet;
  rows: RowSet;
}

/** Cells that the transaction of a query runner made stale in sheets with auto_recalculate. */
export function staleNotes({ data }: QueryRunner): StaleNote[] {
  return ((data as Record<string, StaleNote[] | undefined>)[KEY] ??= []);
}

/** Records stale cells, so that they are queued before the transaction is committed. */
export function noteStale(tx: EntityManager, sheet: Sheet, rows: RowSet): void {
  if (sheet.autoRecalculate !== 'off' && !rows.isEmpty) staleNotes(tx.queryRunner!).push({ sheet, rows });
}
