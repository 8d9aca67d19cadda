import type { EntityManager, QueryRunner } from 'typeorm';

const KEY = 'changedSources';

export interface MirrorSheet {
  workspaceId: number;
  sheetId: string;
}

/** The sheets that the transaction of a query runner has changed and that others mirror. */
export function changedSources({ data }: QueryRunner): MirrorSheet[] {
  return ((data as Record<string, MirrorSheet[] | undefined>)[KEY] ??= []);
}

/**
 * Records that this transaction changes cells that columns of other sheets show. A worker is notified after the commit.
 */
export function noteChange(tx: EntityManager, workspaceId: number, sheetId: string): void {
  changedSources(tx.queryRunner!).push({ workspaceId, sheetId });
}
