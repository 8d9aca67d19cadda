/**
 * The workspace of the rows of one statement; null without rows. Every statement names its workspace as a parameter: rows of one
 * workspace are on one node where a database is spread over several. Throws for rows of several workspaces, which would all end up
 * in the first.
 */
export function workspaceOf(rows: readonly { workspaceId: number }[]): number | null {
  const [first] = rows;
  if (!first) return null;
  const { workspaceId } = first;
  if (rows.some((row) => row.workspaceId !== workspaceId)) throw new Error('A statement is about several workspaces.');
  return workspaceId;
}
