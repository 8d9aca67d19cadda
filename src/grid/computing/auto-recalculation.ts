import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import type { TransactionCommitEvent } from 'typeorm/subscriber/event/TransactionCommitEvent.js';
import { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import { SheetOwners } from '../shared/sheet-owners.js';
import { ChunkStates } from '../states/chunk-states.js';
import { type StaleNote, staleNotes } from '../states/stale-notes.js';
import { ComputationNotifier } from './computation-notifier.js';
import { queueCells, type QueuedCells, type Selection } from './queue-cells.js';

/** Cells that a transaction has queued in sheets with auto_recalculate. */
const queuedBy = new WeakMap<QueryRunner, QueuedCells[]>();

/**
 * Recalculates sheets automatically, like spreadsheets, where auto_recalculate is set. Every transaction that makes
 * cells stale queues them as well.
 */
@Injectable()
export class AutoRecalculation implements EntitySubscriberInterface, OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
    private readonly owners: SheetOwners,
  ) {}

  onModuleInit(): void {
    this.db.subscribers.push(this);
  }

  async beforeTransactionCommit(event: TransactionCommitEvent): Promise<void> {
    const { queryRunner, manager } = event;
    for (const note of staleNotes(queryRunner).splice(0)) {
      const queued = await queueStale(manager, this.types, note);
      if (queued) queuedBy.set(queryRunner, [...(queuedBy.get(queryRunner) ?? []), queued]);
    }
    // All subscribers run at the same time: the owners may not know of these executions yet.
    if (queuedBy.has(queryRunner)) await this.owners.beforeTransactionCommit(event);
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    // Part of a larger transaction, which is not committed yet.
    if (queryRunner.isTransactionActive) return;
    for (const queued of queuedBy.get(queryRunner) ?? []) this.notifier.notify(queued);
    queuedBy.delete(queryRunner);
  }
}

/** Queues the stale cells in some rows of a locked sheet, as far as its setting allows. */
async function queueStale(tx: EntityManager, types: ColumnTypes, { sheet, rows }: StaleNote) {
  const columns = await SheetColumns.read(tx, types, sheet);
  // Scorecards are calculated only on request.
  const computed = columns.ofSheet.filter((column) => columns.isComputed(column));
  const keys = computed.map((column) => column.key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, rangeOf(rows));
  const includesExternal = sheet.autoRecalculate === 'all';
  const stale = ({ key }: SheetColumn) => states.stale(key).intersect(rows).intersect(sheet.rows);
  const followed = computed.filter((column) => includesExternal || !columns.isExternal(column));
  const selection: Selection = new Map(
    followed.map((column) => {
      // Cells that depend on stale external results are not queued: these results are computed only on request.
      const waitedFor = columns.computedSources([column]).filter((source) => !followed.includes(source));
      return [column, stale(column).without(RowSet.union(waitedFor.map(stale)))];
    }),
  );
  return queueCells(tx, sheet, columns, { cells: selection });
}
