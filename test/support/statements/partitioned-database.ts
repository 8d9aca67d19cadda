import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The schemas that hold the partitions of all tables, by the remainder of the hash of the workspace. */
export const PARTITIONS = ['part_0', 'part_1'];

/**
 * The tables of customers: those with a workspace in every unique key, as it has to be where rows are spread by workspace.
 * All others are the same on every node.
 */
export const DISTRIBUTED = `
  SELECT c.oid, c.relname AS name FROM pg_class c
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT EXISTS (
     SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT EXISTS (
       SELECT FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND a.attnum = ANY (i.indkey)))`;

const SPREAD = `
  DO $$
  DECLARE
    spread text;
    part int;
  BEGIN
    CREATE SCHEMA whole;
    ${PARTITIONS.map((schema) => `CREATE SCHEMA ${schema};`).join(' ')}
    FOR spread IN SELECT name FROM (${DISTRIBUTED}) AS tables ORDER BY name LOOP
      EXECUTE format('ALTER TABLE public.%I SET SCHEMA whole', spread);
      EXECUTE format('CREATE TABLE public.%1$I (LIKE whole.%1$I INCLUDING ALL) PARTITION BY HASH (workspace_id)', spread);
      FOR part IN 0..${PARTITIONS.length - 1} LOOP
        EXECUTE format('CREATE TABLE part_%2$s.%1$I PARTITION OF public.%1$I FOR VALUES WITH (MODULUS ${PARTITIONS.length}, REMAINDER %2$s)',
                       spread, part);
      END LOOP;
    END LOOP;
  END $$`;

/**
 * Database with the tables of the server, each partitioned by the hash of the workspace. The plan of a statement then
 * shows which rows of which workspaces it may read.
 */
export class PartitionedDatabase {
  private constructor(
    private readonly client: pg.Client,
    private readonly drop: () => Promise<void>,
  ) {}

  /** @param adminUrl of a server that has the migrated template. */
  static async create(adminUrl: string): Promise<PartitionedDatabase> {
    const name = `partitioned_${randomBytes(8).toString('hex')}`;
    const admin = await connect(adminUrl);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template_tracesheet STRATEGY file_copy`);
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    const client = await connect(url.href);
    await client.query(SPREAD);
    return new PartitionedDatabase(client, async () => {
      await client.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    });
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(text, values)).rows;
  }

  close(): Promise<void> {
    return this.drop();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}
