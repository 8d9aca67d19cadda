import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource, type EntityManager, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import type { TransactionCommitEvent } from 'typeorm/subscriber/event/TransactionCommitEvent.js';
import type { JsonObject } from '../platform/json.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';
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
  /** What the importer has kept of where they came from. */
  origin: JsonObject;
  rowsAdded: number;
  /** How many rows the sheet has afterwards. */
  rowCount: number;
}

export interface SheetExecution {
  workspaceId: number;
  sheetId: string;
  executionId: string;
}
export type EndedExecution = SheetExecution;

/** The trace that what is done for a row belongs to: the cells of a run are one trace. */
export interface RowTrace {
  traceId: string;
  /** The span that the spans of its cells are children of. */
  parentId: string;
  /** What else the spans of its cells say. */
  attributes: JsonObject;
}

/** What an owner wants to be done after the commit, such as notifying a queue. It must neither wait nor fail. */
export type AfterCommit = (() => void) | void;

/**
 * What an owner of sheets is told of what happens in them. It is called at the end of the very transaction in which that
 * happens, and everything it writes goes through `tx`: when it throws, the import or execution has not ended, and ends
 * again later. It may be told of the end of one execution twice.
 */
export interface SheetOwnerPlugin {
  /** The rows are in the sheet, whose row is locked. */
  importCompleted?(tx: EntityManager, ended: EndedImport, rows: ImportedRows): Promise<AfterCommit>;
  /** The sheet is as it was before. `message` is for the person who started the import. */
  importFailed?(tx: EntityManager, ended: EndedImport, message: string): Promise<AfterCommit>;
  /** The execution was queued, or cells of it were settled. */
  executionAdvanced?(tx: EntityManager, execution: SheetExecution): Promise<AfterCommit>;
  /** None of the cells of the execution waits any more, because they were computed or because it was cancelled. */
  executionEnded?(tx: EntityManager, ended: EndedExecution): Promise<AfterCommit>;
  /** The trace of a row; without it every cell has one of its own. Asked once for each claim, so it must be quick. */
  traceOf?(sheet: Pick<SheetExecution, 'workspaceId' | 'sheetId'>): Promise<(rowIndex: number) => RowTrace>;
}

const kind = definePlugin<{ name: SheetOwner }>('sheet owner');

/** Makes a class the one that is told of what happens in sheets of this owner. */
export const OwnsSheets = (owner: SheetOwner): ClassDecorator => kind.decorate({ name: owner });

interface OwnerNote {
  owner: SheetOwner;
  tell: (plugin: SheetOwnerPlugin) => Promise<AfterCommit> | undefined;
}

const notesOf = new WeakMap<QueryRunner, OwnerNote[]>();
const afterCommitOf = new WeakMap<QueryRunner, (() => void)[]>();

/** Tells the owner of a sheet something at the end of the transaction. Owners without a plugin need not know. */
export function tellOwner(tx: EntityManager, owner: SheetOwner, tell: OwnerNote['tell']): void {
  pushTo(notesOf, tx.queryRunner!, { owner, tell });
}

/** Tells owners of sheets what happens in them. The grid knows none of them: they are plugins. */
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

  /** What the spans of the rows of a sheet belong to; null where every cell has a trace of its own. */
  async traceOf({ workspaceId, id: sheetId, owner }: Pick<Sheet, 'workspaceId' | 'id' | 'owner'>) {
    return (await this.owners.get(owner)?.plugin.traceOf?.({ workspaceId, sheetId })) ?? null;
  }

  async beforeTransactionCommit({ queryRunner }: TransactionCommitEvent): Promise<void> {
    const notes = notesOf.get(queryRunner) ?? [];
    // An owner may end further work.
    for (let note = notes.shift(); note; note = notes.shift()) {
      const plugin = this.owners.get(note.owner)?.plugin;
      const after = plugin && (await note.tell(plugin));
      if (after) pushTo(afterCommitOf, queryRunner, after);
    }
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    // Part of a larger transaction: nothing can be seen of it yet.
    if (queryRunner.isTransactionActive) return;
    for (const act of afterCommitOf.get(queryRunner)?.splice(0) ?? []) act();
  }
}

function pushTo<T>(lists: WeakMap<QueryRunner, T[]>, runner: QueryRunner, item: T): void {
  const list = lists.get(runner);
  if (list) list.push(item);
  else lists.set(runner, [item]);
}
