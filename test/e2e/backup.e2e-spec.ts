import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.js';
import { bootstrap } from '../../src/access/index.js';
import { runAdminCommand } from '../../src/embedded/admin-command.js';
import type { BackupManifest } from '../../src/platform/backup/backup-folder.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { emptyDatabase, testDatabase, type TestDatabase } from '../support/database.js';
import { keptReleases, migrationsOf } from '../upgrades/releases.js';

const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64');

let folder: string;
/** An installation with two workspaces, and with texts that COPY has to escape. */
let original: TestDatabase;
const opened: TestDatabase[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-backup-'));
  original = await opens(testDatabase());
  await bootstrap(original.url);
  await run(
    original.url,
    `INSERT INTO workspaces (name) VALUES (E'tab\\there, \\\\N, line\\nbreak and "Zoë"');
     INSERT INTO outbox_events (workspace_id, type, details, request_id)
     SELECT 1 + n % 2, 'x', jsonb_build_object('n', n, 'text', repeat('line' || chr(10), 3000)), 'r' FROM generate_series(1, 50) AS n`,
  );
});
afterAll(async () => {
  for (const database of opened) await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function opens(opening: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await opening;
  opened.push(database);
  return database;
}

async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Runs the command and returns its output, or the message with which it fails. */
async function admin(command: string, { url }: TestDatabase, name: string): Promise<string> {
  let said = '';
  const env = { DATABASE_URL: url, INIT_CWD: folder, SECRETS_KEY };
  const say = (line: string) => void (said += `${line}\n`);
  try {
    await runAdminCommand([command, name], { env, say, readSecret: () => Promise.resolve('') });
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
  return said;
}

async function backedUp(): Promise<string> {
  const name = randomUUID();
  expect(await admin('backup', original, name)).toContain('Backed up');
  return name;
}

const manifestOf = (name: string) =>
  JSON.parse(readFileSync(path.join(folder, name, 'backup.json'), 'utf8')) as BackupManifest;

it('restores every row, identity and rule, and detects later changes', async () => {
  const name = await backedUp();
  const copy = await opens(emptyDatabase());
  expect(await admin('restore', copy, name)).toContain('every row is as it was');
  expect(await admin('verify', copy, name)).toBe('The database has exactly what the backup has.\n');

  const rules = `SELECT pg_get_indexdef(indexrelid) AS rule FROM pg_index JOIN pg_class ON oid = indrelid
     WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`;
  expect(await run(copy.url, rules)).toEqual(await run(original.url, rules));

  const texts = 'SELECT name FROM workspaces ORDER BY id';
  expect(await run(copy.url, texts)).toEqual(await run(original.url, texts));
  const insert = `INSERT INTO workspaces (name) VALUES ('next') RETURNING id`;
  expect(await run(copy.url, insert)).toEqual([{ id: 3 }]);
  expect(await admin('verify', copy, name)).toBe(
    'refused: workspaces of workspace 3 has 1 rows; in the backup it has 0.',
  );
  await run(copy.url, 'DELETE FROM workspaces WHERE id = 3');
  await run(copy.url, `UPDATE outbox_events SET type = 'y' WHERE id = 7`);
  expect(await admin('verify', copy, name)).toBe(
    'refused: outbox_events of workspace 2 has 25 rows as in the backup, but some of them have other contents.',
  );
});

it('is readable by its owner alone, and never written over another', async () => {
  const name = await backedUp();
  const modes = ['', 'backup.json', 'api_keys.copy.gz'].map(
    (file) => statSync(path.join(folder, name, file)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  expect(await admin('backup', original, name)).toContain('is not empty. Name a new one');
});

it('is restored into an installation without workspaces, and into no other', async () => {
  const name = await backedUp();
  const migrated = await opens(emptyDatabase());
  await migrate(migrated.url);
  expect(await admin('restore', migrated, name)).toContain('every row is as it was');
  const before = await run(migrated.url, 'SELECT * FROM outbox_events ORDER BY id');
  expect(await admin('restore', migrated, name)).toContain('refused: The database is not empty.');
  expect(await run(migrated.url, 'SELECT * FROM outbox_events ORDER BY id')).toEqual(before);

  const other = await opens(emptyDatabase());
  await run(other.url, 'CREATE TABLE other (id integer)');
  expect(await admin('restore', other, name)).toContain('refused: The database is not empty.');
});

it('migrates a backup of an older schema, and rejects one of a newer schema', async () => {
  const older = await opens(emptyDatabase());
  await migrate(older.url, { wanted: new Set(migrations.slice(0, -2).map(({ name }) => name)) });
  await run(older.url, `INSERT INTO workspaces (name) VALUES ('old')`);
  const name = randomUUID();
  await admin('backup', older, name);
  const copy = await opens(emptyDatabase());
  expect(await admin('restore', copy, name)).toContain('up to date with 2 migrations');
  expect(await run(copy.url, 'SELECT name FROM workspaces')).toEqual([{ name: 'old' }]);
  expect(await admin('verify', copy, name)).toContain('refused: The database has another schema than the backup');

  const manifest = manifestOf(name);
  const newer = { ...manifest, migrations: [...manifest.migrations, 'Tomorrow9990000000000'] };
  writeFileSync(path.join(folder, name, 'backup.json'), JSON.stringify(newer));
  const empty = await opens(emptyDatabase());
  expect(await admin('restore', empty, name)).toContain('refused: The backup was made by a newer version');
  expect(await run(empty.url, `SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace`)).toEqual([]);
});

it.each(keptReleases().map(({ version }) => version))(
  'is made of the schema of version %s, on which other commands say that migrations are missing',
  async (version) => {
    const older = await opens(emptyDatabase());
    await migrate(older.url, { wanted: migrationsOf(version) });
    await run(older.url, `INSERT INTO workspaces (name) VALUES ('old')`);
    const name = randomUUID();
    const made = await admin('backup', older, name);
    expect(made).toContain('Backed up');
    expect(made).not.toContain('Not tables of Tracesheet');
    const copy = await opens(emptyDatabase());
    expect(await admin('restore', copy, name)).toContain('every row is as it was.');

    const refused =
      /^refused: The database lacks \d+ of \d+ migrations\. Run `npm run migration:run` .* repeat the command/;
    expect(await admin('workspaces', older, 'list')).toMatch(refused);
    expect(await admin('rotate-secrets', older, '')).toMatch(refused);
    expect(await admin('accept-secrets-key', older, '')).toMatch(refused);
  },
);

describe('of a database with parts that migrations do not make', () => {
  const HOUSE_SCORES = 'CREATE TABLE house_scores (workspace_id integer, id serial, score text)';
  let name: string;
  let made: string;

  beforeAll(async () => {
    const extended = await opens(testDatabase());
    await bootstrap(extended.url);
    await run(
      extended.url,
      `${HOUSE_SCORES}; INSERT INTO house_scores (workspace_id, score) VALUES (1, 'a'), (1, 'b');
       ALTER TABLE workspaces ADD COLUMN house_note text[]; UPDATE workspaces SET house_note = ARRAY[E'tab\\there', NULL, '"']`,
    );
    name = randomUUID();
    made = await admin('backup', extended, name);
  });

  it('names such tables', () => expect(made).toContain('Not tables of Tracesheet: house_scores.'));

  it('is restored without them and lists them with their rows and files', async () => {
    const copy = await opens(emptyDatabase());
    const restored = await admin('restore', copy, name);
    expect(restored.split('\n').slice(0, 4)).toEqual([
      expect.stringContaining('every row is as it was, except in these parts'),
      'table house_scores: 2 rows in house_scores.copy.gz',
      'column house_note of table workspaces: 1 rows in workspaces.copy.gz',
      'sequence house_scores_id_seq: last value 2',
    ]);
    expect(await run(copy.url, 'SELECT name FROM workspaces')).toHaveLength(1);
    const columns = `SELECT FROM information_schema.columns WHERE column_name = 'house_note'`;
    expect(await run(copy.url, columns)).toEqual([]);
    expect(await admin('verify', copy, name)).toBe(
      'refused: The database has no table house_scores; in the backup it has 2 rows.\n' +
        'workspaces has no column house_note, so its rows were not compared.',
    );
  });

  it('is restored with them where they exist', async () => {
    const prepared = await opens(emptyDatabase());
    await migrate(prepared.url);
    await run(prepared.url, `${HOUSE_SCORES}; ALTER TABLE workspaces ADD COLUMN house_note text[]`);
    expect(await admin('restore', prepared, name)).toContain('every row is as it was.');
    expect(await admin('verify', prepared, name)).toBe('The database has exactly what the backup has.\n');
    const next = `INSERT INTO house_scores (workspace_id) VALUES (1) RETURNING id`;
    expect(await run(prepared.url, next)).toEqual([{ id: 3 }]);
  });
});

it('that is damaged is refused as a whole', async () => {
  const name = await backedUp();
  const manifest = manifestOf(name);
  const events = manifest.tables.find((table) => table.name === 'outbox_events')!;
  events.sums['1']!.rows += 1;
  writeFileSync(path.join(folder, name, 'backup.json'), JSON.stringify(manifest));
  const copy = await opens(emptyDatabase());
  expect(await admin('restore', copy, name)).toContain('refused: The backup is damaged, so nothing was restored.');
  expect(await run(copy.url, 'SELECT FROM workspaces')).toEqual([]);

  const cut = await backedUp();
  const file = path.join(folder, cut, 'outbox_events.copy.gz');
  writeFileSync(file, readFileSync(file).subarray(0, 200));
  expect(await admin('restore', copy, cut)).toContain('refused:');
  expect(await run(copy.url, 'SELECT FROM workspaces')).toEqual([]);
  expect(await admin('verify', original, cut)).toContain('The file of outbox_events cannot be read');
});

it.each([
  ['backup', 'The database holds no installation'],
  ['restore', 'There is no complete backup in'],
  ['verify', 'There is no complete backup in'],
])('%s refuses with a sentence when there is nothing', async (command, sentence) => {
  const empty = await opens(emptyDatabase());
  expect(await admin(command, empty, 'nothing-here')).toContain(`refused: ${sentence}`);
});
