import type { EntityManager } from 'typeorm';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';

export interface FolderName {
  id: number;
  name: string;
}

/** Folders and their ancestors, by id. */
export type Lineage = Map<number, FolderName & { parentId: number | null }>;

/**
 * Serializes changes of the tree in a workspace. Call it before creating, renaming, moving or deleting folders: statements about
 * the tree then stay true until the end of the transaction.
 */
export function lockTree(tx: EntityManager, workspaceId: number): Promise<void> {
  return lockUntilCommit(tx, 'folder-tree', workspaceId);
}

/** Reads folders and their ancestors. Unknown ids are left out. */
export async function readLineage(tx: EntityManager, workspaceId: number, ids: number[]): Promise<Lineage> {
  if (ids.length === 0) return new Map();
  // UNION instead of UNION ALL: shared ancestors are visited once.
  const rows = await tx.query<{ id: number; name: string; parentId: number | null }[]>(
    `WITH RECURSIVE above AS (
       SELECT id, name, parent_id FROM folders WHERE workspace_id = $1 AND id = ANY ($2::integer[])
       UNION
       SELECT f.id, f.name, f.parent_id
         FROM above JOIN folders f ON f.workspace_id = $1 AND f.id = above.parent_id)
     SELECT id, name, parent_id AS "parentId" FROM above`,
    [workspaceId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A folder and its ancestors, outermost first; empty for null, the top level. */
export function pathTo(lineage: Lineage, id: number | null): FolderName[] {
  const path: FolderName[] = [];
  for (let at = id === null ? undefined : lineage.get(id); at; at = lineage.get(at.parentId ?? 0)) {
    path.push({ id: at.id, name: at.name });
  }
  return path.reverse();
}

/** Reads the paths of folders. The returned function gives the names from the top level to a folder; empty for null, the top level. */
export async function folderPaths(
  tx: EntityManager,
  workspaceId: number,
  ids: (number | null)[],
): Promise<(id: number | null) => string[]> {
  const places = new Set(ids);
  const folders = [...places].filter((id) => id !== null);
  const lineage = await readLineage(tx, workspaceId, folders);
  const paths = new Map([...places].map((id) => [id, pathTo(lineage, id).map(({ name }) => name)]));
  return (id) => paths.get(id)!;
}

/** The ids of folders and of all folders below them, each once. */
export async function readSubtrees(tx: EntityManager, workspaceId: number, ids: number[]): Promise<number[]> {
  // OFFSET 0 makes every folder look up its children in the index. As a join it would read all folders for each level if the planner
  // expects few.
  const rows = await tx.query<{ id: number }[]>(
    `WITH RECURSIVE below (id) AS (
       SELECT unnest($2::integer[])
       UNION
       SELECT f.id FROM below, LATERAL (
         SELECT id FROM folders WHERE workspace_id = $1 AND coalesce(parent_id, 0) = below.id OFFSET 0) f)
     SELECT id FROM below`,
    [workspaceId, ids],
  );
  return rows.map(({ id }) => id);
}

/** Locks folders exclusively, also against additions (see lockFolder), and returns the ids that exist. */
export async function lockFolders(tx: EntityManager, workspaceId: number, ids: number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }[]>(
    `SELECT id FROM folders WHERE workspace_id = $1 AND id = ANY ($2::integer[]) ORDER BY id FOR UPDATE`,
    [workspaceId, ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * The folder of a path of names, or null. Names may contain dots and slashes: every split of the path is tried, dots before
 * slashes, and of several matches the one with the longest names from the start wins. Slashes around a path are allowed. A folder
 * has only one path, so no folder is visited twice for a separator.
 */
export async function findByPath(tx: EntityManager, workspaceId: number, path: string): Promise<number | null> {
  const [hit] = await tx.query<{ id: number }[]>(
    `WITH RECURSIVE walk AS (
       SELECT separator, attempt, 0 AS id, text AS rest, ARRAY[]::integer[] AS lengths
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS a (text, separator, attempt)
       UNION ALL
       SELECT w.separator, w.attempt, f.id,
              CASE WHEN w.rest <> f.name THEN substr(w.rest, length(f.name) + 2) END, w.lengths || -length(f.name)
         FROM walk w JOIN folders f ON f.workspace_id = $1 AND coalesce(f.parent_id, 0) = w.id
          AND (w.rest = f.name OR starts_with(w.rest, f.name || w.separator)))
     SELECT id FROM walk WHERE rest IS NULL ORDER BY attempt, lengths LIMIT 1`,
    [workspaceId, [path, path, path.replace(/^\/+|\/+$/g, '')], ['.', '/', '/']],
  );
  return hit?.id ?? null;
}
