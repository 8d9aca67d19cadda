import type { EntityManager } from 'typeorm';

/** Whether an enabled webhook of the workspace names a type of event. */
export async function isTypeNamed(db: EntityManager, workspaceId: number, type: string): Promise<boolean> {
  const found = await db.query<unknown[]>(
    'SELECT FROM webhooks WHERE workspace_id = $1 AND enabled AND $2::text = ANY(event_types) LIMIT 1',
    [workspaceId, type],
  );
  return found.length > 0;
}
