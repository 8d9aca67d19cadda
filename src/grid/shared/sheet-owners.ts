import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource, type EntityManager, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import type { TransactionCommitEvent } from 'typeorm/subscriber/event/TransactionCommitEvent.js';
import type { JsonObject } from '../../platform/json.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { Sheet } from './sheet.entity.js';
import type { SheetOwner } from './sheet-owner.js';

/** An import into a sheet, as it is stored when it ends. */
export interface EndedImport {
  workspaceId: number;
  id: string;
  /** null unless a table owns the sheet. */
  tableId: string | null;
  sheetId: string;
  source: string;
  fileName: string | null;
  request: JsonObject;
}

export interface ImportedRows {
  /** The importer's record of where the rows came from. */
  origin: JsonObject;
  rowsAdded: number;
  /** The rows of the sheet after the import. */
  rowCount: number;
}

export interface SheetExecution {
  workspaceId: number;
  sheetId: string;
  executionId: string;
}
export interface EndedExecution extends SheetExecution {
  /** Whether its cells were steps of a scorecard. */
  isOfScorecard: boolean;
}

/** The trace of a row's work: the cells of a run share one trace. */
export interface RowTrace {
  traceId: string;
  /** The parent of the spans of its cells. */
  parentId: string;
  /** Attributes of the spans of its cells. */
  attributes: JsonObject;
}

/** A step that an owner wants after the commit, such as notifying a queue. It must neither wait nor fail. */
export type AfterCommit = (() => void) | void;

/**
 * Callbacks of an owner for changes in its sheets. They are called at the end of the same transaction and write only
 * through `tx`. When one throws, the import or execution has not ended, and ends again later. The end of an execution
 * may be reported twice.
 */
export interface SheetOwnerPlugin {
  /** Called when the rows are in the sheet, which is locked. */
  importCompleted?(tx: EntityManager, ended: EndedImport, rows: ImportedRows): Promise<AfterCommit>;
  /** Called when the sheet is as it was before. `message` is for the person who started the import. */
  importFailed?(tx: EntityManager, ended: EndedImport, message: string): Promise<AfterCommit>;
  /** Called when the execution was queued, or cells of it were settled. */
  executionAdvanced?(tx: EntityManager, execution: SheetExecution): Promise<AfterCommit>;
  /** Called when no cell of the execution waits any more, because they were computed or it was cancelled. */
  executionEnded?(tx: EntityManager, ended: EndedExecution): Promise<AfterCommit>;
  /** Returns the trace of a row; without it every cell has its own. Called once for each claim, so it must be quick. */
  traceOf?(sheet: Pick<SheetExecution, 'workspaceId' | 'sheetId'>): Promise<(rowIndex: number) => RowTrace>;
}

const kind = definePlugin<{ name: SheetOwner }>('sheet owner');

/** Registers a class that gets the reports of sheets of this owner. */
export const OwnsSheets = (owner: SheetOwner): ClassDecorator => kind.decorate({ name: owner });

interface OwnerNote {
  owner: SheetOwner;
  notify: (plugin: SheetOwnerPlugin) => Promise<AfterCommit> | undefined;
}

const notesOf = new WeakMap<QueryRunner, OwnerNote[]>();
const afterCommitOf = new WeakMap<QueryRunner, (() => void)[]>();

/** Reports to the owner of a sheet at the end of the transaction. An owner without a plugin gets no reports. */
export function notifyOwner(tx: EntityManager, owner: SheetOwner, notify: OwnerNote['notify']): void {
  pushTo(notesOf, tx.queryRunner!, { owner, notify });
}

/** Reports changes in sheets to their owners. Owners are plugins, so the grid does not depend on them. */
@Injectable()
export class SheetOwners implements EntitySubscriberInterface, OnModuleInit {
  private owners = new Map<string, { plugin: SheetOwnerPlugin }>();

  constructor(
    private readonly db: DataSource,
    private readonly discovery: DiscoveryService,
  ) {}

  onModuleInit(): void {
    this.owners = kind.collect<SheetOwnerPlugin>(this.discovery);
    this.db.subscribers.push(this);
  }

  /** The trace for the spans of all rows of a sheet; null where every cell has a trace of its own. */
  async traceOf({ workspaceId, id: sheetId, owner }: Pick<Sheet, 'workspaceId' | 'id' | 'owner'>) {
    return (await this.owners.get(owner)?.plugin.traceOf?.({ workspaceId, sheetId })) ?? null;
  }

  async beforeTransactionCommit({ queryRunner }: TransactionCommitEvent): Promise<void> {
    const notes = notesOf.get(queryRunner) ?? [];
    // An owner may end further work, which adds notes.
    for (let note = notes.shift(); note; note = notes.shift()) {
      const plugin = this.owners.get(note.owner)?.plugin;
      const after = plugin && (await note.notify(plugin));
      if (after) pushTo(afterCommitOf, queryRunner, after);
    }
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    // Part of a larger transaction, which is not committed yet.
    if (queryRunner.isTransactionActive) return;
    for (const act of afterCommitOf.get(queryRunner)?.splice(0) ?? []) act();
  }
}

function pushTo<T>(lists: WeakMap<QueryRunner, T[]>, runner: QueryRunner, item: T): void {
  const list = lists.get(runner);
  if (list) list.push(item);
  else lists.set(runner, [item]);
}
