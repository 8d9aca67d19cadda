import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** Transactions that emitted events, with their workspaces. */
const announcing = new WeakMap<QueryRunner, Set<number>>();

export function rememberAnnounced({ queryRunner }: EntityManager, workspaceId: number): void {
  if (!queryRunner) return;
  const workspaces = announcing.get(queryRunner) ?? new Set();
  announcing.set(queryRunner, workspaces.add(workspaceId));
}

/** Calls `listener` after the commit for every workspace with new events. It must neither wait nor fail. */
export function afterAnnouncement(db: DataSource, listener: (workspaceId: number) => void): void {
  db.subscribers.push({
    afterTransactionCommit({ queryRunner }) {
      // Part of a larger transaction: nothing is visible yet.
      if (queryRunner.isTransactionActive) return;
      announcing.get(queryRunner)?.forEach(listener);
      announcing.delete(queryRunner);
    },
  });
}
