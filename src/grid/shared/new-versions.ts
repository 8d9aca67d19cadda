import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** A sheet of a table that a transaction has changed, and its new version number. */
export interface NewVersion {
  workspaceId: number;
  sheetId: string;
  version: number;
}

const versionsOf = new WeakMap<QueryRunner, Map<string, NewVersion>>();

/** Records that this transaction makes a version. */
export function noteVersion({ queryRunner }: EntityManager, made: NewVersion): void {
  if (!queryRunner) return;
  const known = versionsOf.get(queryRunner) ?? new Map<string, NewVersion>();
  versionsOf.set(queryRunner, known.set(made.sheetId, made));
}

type Listener = (made: NewVersion) => void;

const listenersOf = new WeakMap<DataSource, Listener[]>();

/** Calls `listener` for every sheet with a new version, after the commit. It must neither wait nor fail. */
export function afterNewVersion(db: DataSource, listener: Listener): void {
  const listeners = listenersOf.get(db);
  if (listeners) listeners.push(listener);
  else subscribe(db, [listener]);
}

function subscribe(db: DataSource, listeners: Listener[]): void {
  listenersOf.set(db, listeners);
  db.subscribers.push({
    afterTransactionCommit({ queryRunner }) {
      // Part of a larger transaction, which is not committed yet.
      if (queryRunner.isTransactionActive) return;
      for (const made of versionsOf.get(queryRunner)?.values() ?? []) for (const listener of listeners) listener(made);
      versionsOf.delete(queryRunner);
    },
    afterTransactionRollback({ queryRunner }) {
      if (!queryRunner.isTransactionActive) versionsOf.delete(queryRunner);
    },
  });
}
