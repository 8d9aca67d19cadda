import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import type { Installation } from '../support/server-processes.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable, quantile } from './report.js';

const FILES = Number(process.env.BENCH_SKILL_FILES ?? 100);
const FILE_BYTES = Number(process.env.BENCH_SKILL_BYTES ?? 50_000);
const REQUESTS = Number(process.env.BENCH_SKILL_REQUESTS ?? 20);

let server: Installation;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

const SKILLS = '/api/public/v2/skill-collections';

it(`saves and reads a collection of ${FILES} files of ${FILE_BYTES} bytes`, async () => {
  await db.query('CREATE TEMP TABLE bare (content bytea STORAGE EXTERNAL)');
  const bare = files();
  const bareInsert = await measure(async () => {
    for (const { content } of bare) await db.query('INSERT INTO bare VALUES ($1)', [Buffer.from(content)]);
  });
  const bareSelect = await measure(() => db.query(`SELECT content FROM bare LIMIT ${FILES}`));

  await client.post(SKILLS, { name: 'bench', provider: 'claude_code', files: files() });
  const versions = `${SKILLS}/bench/versions`;
  const known = files();
  // Bodies are made before anything is timed.
  const fresh = Array.from({ length: REQUESTS + 1 }, files);
  const few = Array.from({ length: REQUESTS + 1 }, () => files().slice(0, 1));
  const save = (file_updates: object[]) => client.post(versions, { file_updates, commit_message: 'x' });
  const timed = [
    ['save, everything new', () => save(fresh.pop()!), bareInsert],
    ['save, everything known', () => save(known), bareInsert],
    ['save, one file', () => save(few.pop()!), bareInsert],
    ['read as ZIP', () => download('?format=zip'), bareSelect],
    ['read as JSON', () => download(''), bareSelect],
  ] as const;
  const rows = [['request', 'p50 ms', 'p95 ms', 'of the bare statements']];
  for (const [name, request, limit] of timed) {
    await request();
    const latencies = await measure(request);
    const share = (median(latencies) / median(limit)).toFixed(1);
    rows.push([name, quantile(latencies, 0.5).toFixed(0), quantile(latencies, 0.95).toFixed(0), share]);
  }
  printTable(
    `Skills: ${FILES} files of ${FILE_BYTES} bytes, ${REQUESTS} requests each over HTTP, one after the other\n` +
      `${await machine(server.databaseUrl)}\nThe bare statements insert each content, and select all of them, over one connection.`,
    rows,
  );
});

async function download(query: string): Promise<void> {
  const answer = await client.send('GET', `${SKILLS}/bench${query}`);
  if (answer.status !== 200) throw new Error(`The collection was answered with ${answer.status}.`);
  await answer.arrayBuffer();
}

async function measure(request: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  while (latencies.length < REQUESTS) {
    const start = performance.now();
    await request();
    latencies.push(performance.now() - start);
  }
  return latencies;
}

const WORDS = 'the agent reads this file before it answers and then it looks for the order of the customer'.split(' ');

/** Texts that compress about as well as real ones, and differ every time. */
function files(): { path: string; content: string }[] {
  return Array.from({ length: FILES }, (_, index) => {
    const words = Array.from(randomBytes(FILE_BYTES / 5), (byte) => WORDS[byte % WORDS.length]);
    const content = `${randomBytes(8).toString('hex')} ${words.join(' ')}`.slice(0, FILE_BYTES);
    return { path: `skill-${index}/SKILL.md`, content };
  });
}
