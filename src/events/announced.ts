import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** The transactions that announce something, with the workspaces. */
const announcing = new WeakMap<QueryRunner, Set<number>>();

export function rememberAnnounced({ queryRunner }: EntityManager, workspaceId: number): void {
  if (!queryRunner) return;
  const workspaces = announcing.get(queryRunner) ?? new Set();
  announcing.set(queryRunner, workspaces.add(workspaceId));
}

/** Calls `listener` for every workspace in which something was announced, after the commit. It must neither wait nor fail. */
export function afterAnnouncement(db: DataSource, listener: (workspaceId: number) => void): void {
  db.subscribers.push({
    afterTransactionCommit({ queryRunner }) {
      // Part of a larger transaction: nothing can be seen of it yet.
      if (queryRunner.isTransactionActive) return;
      announcing.get(queryRunner)?.forEach(listener);
      announcing.delete(queryRunner);
    },
  });
}
