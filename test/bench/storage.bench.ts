import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import type { JsonObject } from '../../src/platform/json.js';
import type { Installation } from '../support/server-processes.js';
import { startBenchInstallation } from './bench-installation.js';
import { sendAll } from './http-load.js';
import { otlpBodies } from './otlp-load.js';
import { machine, printTable } from './report.js';

const REQUESTS = 40;
const SPANS = 500;

let server: Installation;
let db: pg.Client;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

it('stores spans in little more room than their payloads take compressed', async () => {
  const bodies = otlpBodies('json', REQUESTS, SPANS);
  const headers = { 'content-type': 'application/json', 'x-api-key': server.apiKey };
  await sendAll({ url: `${server.url}/v1/traces`, headers }, bodies, 2);
  await db.query('VACUUM ANALYZE spans');
  const { rows } = await db.query<{ count: number; stored: number; indexes: number }>(
    `SELECT (SELECT count(*)::int FROM spans) AS count, pg_table_size('spans')::float8 AS stored,
            pg_indexes_size('spans')::float8 AS indexes`,
  );
  const { count, stored, indexes } = rows[0]!;
  await db.query(`CREATE TEMP TABLE payloads (content text COMPRESSION pglz, filler text STORAGE PLAIN)`);
  const asSent = await compressed(bodies.flatMap(spansOf));
  const attributes = await compressed(await storedPayloads());
  const row = (name: string, bytes: number) => {
    return [name, ...[bytes, stored].map((each) => Math.round(each / count).toString()), (stored / bytes).toFixed(2)];
  };
  printTable(
    `Room: ${count} spans with 25 attributes each; indexes take ${Math.round(indexes / count)} bytes a span besides\n` +
      (await machine(server.databaseUrl)),
    [
      ['payload', 'bytes by pglz', 'bytes stored', 'ratio'],
      row('spans as they were sent, in OTLP/JSON', asSent),
      row('attributes, events and links alone, as they are stored', attributes),
    ],
  );
});

function spansOf(body: Buffer): string[] {
  const { resourceSpans } = JSON.parse(body.toString()) as {
    resourceSpans: { scopeSpans: { spans: JsonObject[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => JSON.stringify(span))),
  );
}

async function storedPayloads(): Promise<string[]> {
  const { rows } = await db.query<{ payload: string }>(
    'SELECT concat(attributes::text, events::text, links::text) AS payload FROM spans',
  );
  return rows.map(({ payload }) => payload);
}

/** The bytes of texts, each compressed by itself: beside a filler that keeps the row too long PostgreSQL does so with any text. */
async function compressed(texts: string[]): Promise<number> {
  await db.query('TRUNCATE payloads');
  await db.query(`INSERT INTO payloads SELECT content, repeat('x', 4000) FROM unnest($1::text[]) AS content`, [texts]);
  const { rows } = await db.query<{ bytes: number }>(
    'SELECT sum(pg_column_size(content))::float8 AS bytes FROM payloads',
  );
  return rows[0]!.bytes;
}
