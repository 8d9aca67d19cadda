import type { EntityManager } from 'typeorm';

/** Rows that one statement deletes. */
const PORTION = 10_000;

/** The records of deletions outlive what they delete. */
const KEPT = ['workspace_deletions'];

const TABLES = `
  SELECT c.relname AS name,
         ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint f
                WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
   WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     AND c.relname <> ALL ($1::text[])
   ORDER BY c.relname`;

interface Table {
  name: string;
  /** Tables that it refers to. */
  needs: string[];
}

/**
 * All tables with rows of workspaces, each before those that it refers to. They are read from the catalog, so that no table is
 * forgotten, those of extensions included.
 */
export async function readWorkspaceTables(tx: EntityManager): Promise<string[]> {
  let left = await tx.query<Table[]>(TABLES, [KEPT]);
  const ordered: string[] = [];
  while (left.length > 0) {
    const needed = new Set(left.flatMap(({ needs }) => needs));
    const free = left.filter(({ name }) => !needed.has(name));
    // Tables that refer to each other are deleted in any order: their keys cascade.
    const next = free.length > 0 ? free : left;
    ordered.push(...next.map(({ name }) => name));
    left = left.filter((table) => !next.includes(table));
  }
  return ordered;
}

export async function countRows(tx: EntityManager, table: string, workspaceId: number): Promise<number> {
  const [row] = await tx.query<{ count: string }[]>(
    `SELECT count(*) AS count FROM "${table}" WHERE workspace_id = $1`,
    [workspaceId],
  );
  return Number(row!.count);
}

/** Deletes some rows of a workspace; returns their number, which is 0 when none is left. */
export async function deletePortion(tx: EntityManager, table: string, workspaceId: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `DELETE FROM "${table}" WHERE workspace_id = $1
        AND ctid = ANY (ARRAY(SELECT ctid FROM "${table}" WHERE workspace_id = $1 LIMIT ${PORTION}))`,
    [workspaceId],
  );
  return deleted;
}
