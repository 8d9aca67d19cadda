import type { EntityManager, QueryRunner } from 'typeorm';
import type { MirrorSheet } from './mirror.queries.js';

const KEY = 'changedSources';

/** The sheets that the transaction of a query runner has changed and that others mirror. */
export function changedSources({ data }: QueryRunner): MirrorSheet[] {
  return ((data as Record<string, MirrorSheet[] | undefined>)[KEY] ??= []);
}

/**
 * Notes that this transaction changes what columns of other sheets show of a sheet, if any do: a worker is told after the
 * commit.
 */
export async function noteChange(tx: EntityManager, workspaceId: number, sheetId: string): Promise<void> {
  const followers = await tx.query<unknown[]>(
    'SELECT FROM composition_links WHERE workspace_id = $1 AND source_sheet_id = $2 LIMIT 1',
    [workspaceId, sheetId],
  );
  if (followers.length > 0) changedSources(tx.queryRunner!).push({ workspaceId, sheetId });
}
