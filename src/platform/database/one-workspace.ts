/**
 * The workspace of what one statement is about; null where that is nothing. Every statement names its workspace as a parameter:
 * rows of one workspace lie together where a database is spread over several nodes. Throws for rows of several workspaces,
 * which would all end up in the first.
 */
export function workspaceOf(rows: readonly { workspaceId: number }[]): number | null {
  const [first] = rows;
  if (!first) return null;
  const { workspaceId } = first;
  if (rows.some((row) => row.workspaceId !== workspaceId)) throw new Error('A statement is about several workspaces.');
  return workspaceId;
}
