import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** Rows of one table in COPY's text format, ready to be sent. */
interface Copied {
  table: string;
  rows: number;
  pieces: Buffer[];
}

/** A selection of rows: the table and an SQL condition. */
export interface Selected {
  table: string;
  where: string;
}

const PIECE_BYTES = 256 * 1024;

/**
 * The limit that a way of writing rows is compared with: COPY of the very rows the product stored, in one transaction
 * per run, over one connection, into tables of the same columns and storage but without any index or constraint.
 */
export class CopyLimit {
  private constructor(
    private readonly client: pg.Client,
    private readonly tables: Copied[],
  ) {}

  static async of(databaseUrl: string, selections: Selected[]): Promise<CopyLimit> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const tables: Copied[] = [];
    for (const selection of selections) {
      await createTwin(client, selection.table);
      tables.push(await readRows(client, selection));
    }
    return new CopyLimit(client, tables);
  }

  get rows(): number {
    return this.tables.reduce((sum, { rows }) => sum + rows, 0);
  }

  get bytes(): number {
    return this.tables.reduce((sum, { pieces }) => sum + pieces.reduce((size, piece) => size + piece.length, 0), 0);
  }

  /** Writes all rows once and gives the milliseconds until the commit. The tables are emptied before, unmeasured. */
  async run(): Promise<number> {
    for (const { table } of this.tables) await this.client.query(`TRUNCATE copy_of_${table}`);
    const start = performance.now();
    await this.client.query('BEGIN');
    for (const { table, pieces } of this.tables) {
      await pipeline(Readable.from(pieces), this.client.query(copyFrom(`COPY copy_of_${table} FROM STDIN`)));
    }
    await this.client.query('COMMIT');
    return performance.now() - start;
  }

  async close(): Promise<void> {
    for (const { table } of this.tables) await this.client.query(`DROP TABLE copy_of_${table}`);
    await this.client.end();
  }
}

/**
 * LIKE copies columns and their storage, but not the options of the table. The copy is never read and needs no
 * statistics.
 */
async function createTwin(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ options: string[] | null }>(
    'SELECT reloptions AS options FROM pg_class WHERE oid = $1::regclass',
    [table],
  );
  const options = [...(rows[0]?.options ?? []), 'autovacuum_enabled = false'];
  await client.query(
    `CREATE TABLE copy_of_${table} (LIKE ${table} INCLUDING STORAGE INCLUDING COMPRESSION) WITH (${options.join(', ')})`,
  );
}

async function readRows(client: pg.Client, { table, where }: Selected): Promise<Copied> {
  const stream = client.query(copyTo(`COPY (SELECT * FROM ${table} WHERE ${where}) TO STDOUT`));
  const pieces: Buffer[] = [];
  let open: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    open.push(chunk);
    size += chunk.length;
    if (size < PIECE_BYTES) continue;
    pieces.push(Buffer.concat(open));
    open = [];
    size = 0;
  }
  pieces.push(Buffer.concat(open));
  return { table, rows: stream.rowCount, pieces };
}
