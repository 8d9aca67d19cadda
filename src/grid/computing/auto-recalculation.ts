import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import type { TransactionCommitEvent } from 'typeorm/subscriber/event/TransactionCommitEvent.js';
import { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import { ChunkStates } from '../states/chunk-states.js';
import { type StaleNote, staleNotes } from '../states/stale-notes.js';
import { ComputationNotifier } from './computation-notifier.js';
import { queueCells, type QueuedCells, type Selection } from './queue-cells.js';

/** What a transaction has queued for sheets that follow their inputs. */
const queuedBy = new WeakMap<QueryRunner, QueuedCells[]>();

/**
 * Lets sheets follow their inputs like spreadsheets, where they are set up so: whatever makes cells stale, in whichever
 * transaction, queues them in the same transaction.
 */
@Injectable()
export class AutoRecalculation implements EntitySubscriberInterface, OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
  ) {}

  onModuleInit(): void {
    this.db.subscribers.push(this);
  }

  async beforeTransactionCommit({ queryRunner, manager }: TransactionCommitEvent): Promise<void> {
    for (const note of staleNotes(queryRunner).splice(0)) {
      const queued = await queueStale(manager, this.types, note);
      if (queued) queuedBy.set(queryRunner, [...(queuedBy.get(queryRunner) ?? []), queued]);
    }
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    // Part of a larger transaction: nothing can be seen of it yet.
    if (queryRunner.isTransactionActive) return;
    for (const queued of queuedBy.get(queryRunner) ?? []) this.notifier.notify(queued);
    queuedBy.delete(queryRunner);
  }
}

/** Queues the stale cells in some rows of a locked sheet, as far as its setting allows. */
async function queueStale(tx: EntityManager, types: ColumnTypes, { sheet, rows }: StaleNote) {
  const columns = await SheetColumns.read(tx, types, sheet);
  // A scorecard is calculated when somebody asks for it.
  const computed = columns.ofSheet.filter((column) => columns.isComputed(column));
  const keys = computed.map((column) => column.key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, rangeOf(rows));
  const includesExternal = sheet.autoRecalculate === 'all';
  const stale = ({ key }: SheetColumn) => states.stale(key).intersect(rows).intersect(sheet.rows);
  const followed = computed.filter((column) => includesExternal || !columns.isExternal(column));
  const selection: Selection = new Map(
    followed.map((column) => {
      // What waits for results from outside is computed when somebody asks for those.
      const waitedFor = columns.computedSources([column]).filter((source) => !followed.includes(source));
      return [column, stale(column).without(RowSet.union(waitedFor.map(stale)))];
    }),
  );
  return queueCells(tx, sheet, columns, { cells: selection });
}
