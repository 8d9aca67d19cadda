import type pg from 'pg';
import { DISTRIBUTED } from './partitioned-database.js';

const TABLES = `
  SELECT c.relname AS name, d.oid IS NOT NULL AS distributed,
         ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint f
                WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
    FROM pg_class c LEFT JOIN (${DISTRIBUTED}) AS d ON d.oid = c.oid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname`;

/** Functions, without those of triggers, which come with their tables. */
const FUNCTIONS = `
  SELECT oid::regprocedure::text AS signature FROM pg_proc
   WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype ORDER BY 1`;

interface Table {
  name: string;
  distributed: boolean;
  /** The tables that it refers to. */
  needs: string[];
}

const HEAD = `-- Spreads the tables of the server over the nodes of Citus, by workspace: docs/how-to/citus.md. To be run once, as the owner
-- of the tables, on the coordinator, after the migrations. Written by: npm test -- test/contract/one-workspace --update
`;

/** SQL that makes every table of a migrated database one of Citus, each after those that it refers to. */
export async function distributionSql(client: pg.Client): Promise<string> {
  const functions = await client.query<{ signature: string }>(FUNCTIONS);
  const { rows } = await client.query<Table>(TABLES);
  const tables = inOrder(rows);
  const distributed = tables.filter((table) => table.distributed).map(({ name }) => name);
  const sections = [
    '-- The triggers write rows of the workspace of the rows that fire them.',
    'SET citus.enable_unsafe_triggers TO on;',
    '\n-- Functions that indexes and statements call.',
    ...functions.rows.map(({ signature }) => `SELECT create_distributed_function('${signature}');`),
    '\n-- The same on every node.',
    ...tables.filter((table) => !table.distributed).map(({ name }) => `SELECT create_reference_table('${name}');`),
    '\n-- By workspace: all rows of a workspace are on one node.',
    ...distributed.map((name, index) => {
      const place = index === 0 ? `'none'` : `'${distributed[0]}'`;
      return `SELECT create_distributed_table('${name}', 'workspace_id', colocate_with => ${place});`;
    }),
  ];
  return `${HEAD}\n${sections.join('\n')}\n`;
}

/** Every table after those that it refers to, otherwise by name. */
function inOrder(tables: Table[]): Table[] {
  const ordered: Table[] = [];
  const done = new Set<string>();
  for (let left = tables; left.length > 0;) {
    const ready = left.filter(({ needs }) => needs.every((name) => done.has(name)));
    if (ready.length === 0)
      throw new Error(`These tables refer to each other: ${left.map(({ name }) => name).join(', ')}`);
    ordered.push(...ready);
    for (const { name } of ready) done.add(name);
    left = left.filter(({ name }) => !done.has(name));
  }
  return ordered;
}
