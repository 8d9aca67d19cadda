import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Archives,
  deleteWorkspace,
  newWorkspace,
  type OpenedArchive,
  rowsOf,
  untilAccepted,
  type Workspace,
} from '../support/archives.js';
import { nameOfKey } from '../../src/platform/secrets/stored-secrets.js';
import { logCall } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createWebhook } from '../support/webhooks.js';

const ADMIN = '/api/admin/v1';
const archives = new Archives();

let app: TestApp;
let gone: Workspace;
/** An archive of a workspace that no longer exists. */
let file: string;
beforeAll(async () => {
  app = await TestApp.own();
  gone = await newWorkspace(app);
  await publishPrompt(gone.admin, `'); DROP TABLE prompts; --`);
  await logCall(gone.admin, { input: 'line\nbreak\ttab \\ backslash \\. \\N', output: '🎉' });
  await createWebhook(gone.admin, gone.id, { url: 'https://hooks.example/a' });
  file = await archives.exported(app, gone.id);
  await deleteWorkspace(app, gone);
});
afterAll(async () => {
  await app.stop();
  archives.remove();
});

async function refused(from: string, reason: RegExp | string, ...flags: string[]): Promise<void> {
  const others = await countOthers();
  for (const dryRun of [['--dry-run'], []]) {
    const { ok, output } = await archives.restore(app, from, ...flags, ...dryRun);
    if (dryRun.length === 0 || !ok) {
      expect(output).toMatch(reason);
      expect(ok).toBe(false);
    }
  }
  expect(await rowsOf(app, gone.id)).toEqual({});
  expect(await app.sql('SELECT FROM workspaces WHERE id = $1', [gone.id])).toEqual([]);
  expect(await countOthers()).toEqual(others);
}

/** Counts rows that an attack would change. */
const countOthers = () =>
  app.sql(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM api_keys) AS keys, (SELECT count(*) FROM workspaces) AS workspaces,
            (SELECT count(*) FROM prompts) AS prompts`,
  );

function partOf({ entries }: OpenedArchive, table: string): { contents: string } {
  return entries.find(({ header }) => header.name.startsWith(`tables/${table}/`))!;
}

function fileOf(bytes: Buffer): string {
  const target = archives.newFile();
  writeFileSync(target, bytes);
  return target;
}

describe('a file that is damaged', () => {
  it.each([
    ['a flipped bit', (bytes: Buffer) => flipped(bytes, bytes.length >> 1)],
    ['a flipped bit at the end', (bytes: Buffer) => flipped(bytes, bytes.length - 6)],
    ['only the first half', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['all but the last bytes', (bytes: Buffer) => bytes.subarray(0, -10)],
    ['no bytes', () => Buffer.alloc(0)],
    ['no gzip', () => randomBytes(1000)],
    ['no tar', () => gzipSync(randomBytes(10_000))],
    ['nothing in it', () => gzipSync(Buffer.alloc(1024))],
  ])('is refused: %s', async (_, change) => {
    await refused(
      fileOf(change(readFileSync(file))),
      /The file is no complete archive|The archive is (damaged|incomplete|refused)/,
    );
  });

  it('is refused when it does not exist', async () => {
    await refused('/nowhere/archive.tar.gz', 'The archive cannot be opened');
    await refused(archives.folder, 'The archive cannot be opened');
  });

  it('is refused when a header claims to be large', async () => {
    const size = 80 * 1024 * 1024;
    await refused(fileOf(gzipSync(Buffer.concat([paxHeader(size), Buffer.alloc(size)]))), 'too large a header');
  });
});

/** The header of an entry whose contents describe the next one. */
function paxHeader(size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write('x', 0);
  header.write(size.toString(8).padStart(11, '0'), 124);
  header.write(' '.repeat(8), 148);
  header.write('x', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

const line = (row: string, column: number, value: string): string => row.split('\t').with(column, value).join('\t');

/** Archives that somebody has changed and whose sums fit. */
const CHANGES: [string, (archive: OpenedArchive) => void, string][] = [
  ['another format', ({ manifest }) => void (manifest.format_version = 2), 'has the format 2'],
  ['another migration', ({ manifest }) => void manifest.migrations.pop(), 'this database has those up to'],
  ['a newer migration', ({ manifest }) => void manifest.migrations.push('Next1780000000999'), 'migrations up to 999'],
  ['another workspace in the manifest', ({ manifest }) => void (manifest.workspace.id = 1), 'names another workspace'],
  [
    'a missing table',
    (archive) => {
      archive.manifest.tables = archive.manifest.tables.filter(({ name }) => name !== 'prompts');
      archive.entries = archive.entries.filter(({ header }) => !header.name.startsWith('tables/prompts/'));
    },
    'it lacks the table prompts',
  ],
  [
    'a table of the installation',
    (archive) => {
      archive.manifest.tables.push({ name: 'users', columns: ['id', 'email'], rows: 1 });
      archive.entries.push({ header: { name: 'tables/users/000001.copy' }, contents: `${gone.id}\tme@evil.example\n` });
    },
    'has no table "users"',
  ],
  [
    'SQL for the name of a table',
    ({ manifest }) => void manifest.tables.push({ name: 'prompts" ; DROP TABLE users; --', columns: ['id'], rows: 0 }),
    'has no table "prompts',
  ],
  [
    'SQL for the name of a column',
    ({ manifest }) => void (manifest.tables[1]!.columns[1] = "id) FROM PROGRAM 'true' --"),
    'has other columns than this database',
  ],
  [
    'other columns',
    ({ manifest }) => void manifest.tables.find(({ name }) => name === 'api_keys')!.columns.reverse(),
    'has other columns than this database',
  ],
  ['tables in another order', ({ manifest }) => void manifest.tables.reverse(), 'not in order'],
  [
    'a row of another workspace',
    (archive) => {
      const part = partOf(archive, 'prompts');
      part.contents += line(part.contents, 0, '1');
    },
    'a row that is not of the workspace',
  ],
  [
    'a row of another workspace after a carriage return',
    (archive) => {
      const part = partOf(archive, 'prompts');
      part.contents = part.contents.replace('\n', `\r${line(part.contents, 0, '1')}`);
    },
    'has a carriage return',
  ],
  ['the end of a COPY', (archive) => void (partOf(archive, 'prompts').contents += '\\.\n'), 'not of the workspace'],
  [
    'a line break in the middle of a row',
    (archive) => {
      const part = partOf(archive, 'prompts');
      part.contents = part.contents.replace('\t', `\t\\\n${gone.id}\t`);
    },
    'The database refuses the rows|would have',
  ],
  ['half a row', (archive) => void (partOf(archive, 'prompts').contents += `${gone.id}\t1`), 'in the middle of a row'],
  [
    'no workspace',
    (archive) => void archive.entries.shift(),
    'other than|lacks|would have|not of the workspace|damaged|refused|refuses',
  ],
  [
    'the same workspace twice',
    (archive) => {
      const part = partOf(archive, 'workspaces');
      part.contents += part.contents;
    },
    'exists in this installation|The database refuses',
  ],
  [
    'a workspace that is being deleted',
    (archive) => {
      const part = partOf(archive, 'workspaces');
      const { columns } = archive.manifest.tables.find(({ name }) => name === 'workspaces')!;
      const values = part.contents.trimEnd().split('\t');
      part.contents = `${values.with(columns.indexOf('deleted_at'), '2026-01-01 00:00:00+00').join('\t')}\n`;
    },
    'was being deleted',
  ],
  [
    'a sequence near its end',
    ({ manifest }) => void (manifest.sequences.api_keys_id_seq = '2147483000'),
    'would use up the ids',
  ],
  [
    'a sequence beyond exact numbers',
    ({ manifest }) => void (manifest.sequences.request_log_ids = '9007199254740993'),
    'would use up the ids',
  ],
  [
    'an id that is still to be given',
    (archive) => {
      const part = partOf(archive, 'api_keys');
      part.contents = line(part.contents, 1, '900000');
    },
    'ids beyond the last one',
  ],
  ['a part twice', (archive) => void archive.entries.push(archive.entries.at(-1)!), 'not in order|no complete archive'],
  ['a part after another', (archive) => void archive.entries.reverse(), 'damaged|refused'],
];

const NAMES: [string, object][] = [
  ['a path out of the folder', { name: '../../outside' }],
  ['an absolute path', { name: '/tmp/outside' }],
  ['a path within', { name: 'tables/../000001.copy' }],
  ['a link', { name: 'tables/prompts/000002.copy', type: 'symlink', linkname: '/etc/passwd' }],
  ['a folder', { name: 'tables/', type: 'directory' }],
  ['an empty name', { name: '' }],
];

describe('an archive from a stranger', () => {
  it.each(CHANGES)('is refused with %s', async (_, change, reason) => {
    await refused(await archives.changed(file, change), new RegExp(reason));
  });

  it.each(NAMES)('is refused with %s in it', async (_, header) => {
    const changed = await archives.changed(
      file,
      ({ entries }) => void entries.push({ header: header as { name: string }, contents: '' }),
    );
    await refused(changed, /does not belong there|no complete archive/);
  });

  it('is refused when its rows do not have the sums of its manifest', async () => {
    const change = (archive: OpenedArchive) => {
      const part = partOf(archive, 'prompts');
      part.contents = part.contents.replace('DROP', 'KEEP');
    };
    await refused(await archives.changed(file, change, { signs: false }), 'is not as manifest.json says');
  });

  it('is refused with the key of another workspace', async () => {
    const [key] = (await app.sql(
      `SELECT encode(hash, 'hex') AS hash FROM api_keys WHERE workspace_id = 1 LIMIT 1`,
    )) as {
      hash: string;
    }[];
    const change = (archive: OpenedArchive) => {
      const part = partOf(archive, 'api_keys');
      part.contents = part.contents.replace(/\\\\x[0-9a-f]{64}/, `\\\\x${key!.hash}`);
    };
    await refused(await archives.changed(file, change), 'api_keys_hash_key');
  });

  it('adds no member who is a user by chance', async () => {
    const path = `${ADMIN}/workspaces/1/invitations`;
    const invited = (await app.operator().post(path, { email: 'ann@example.com' }, 201)) as { path: string };
    const acceptance = { token: invited.path.split('#')[1], password: 'correct horse battery' };
    await app.clientWith(null).post('/console/invitation/accept', acceptance, 201);
    const [ann] = (await app.sql(`SELECT id FROM users WHERE email = 'ann@example.com'`)) as { id: number }[];
    const change = (archive: OpenedArchive) => {
      const columns = archive.manifest.tables.find(({ name }) => name === 'api_keys')!.columns;
      const part = partOf(archive, 'api_keys');
      part.contents = line(part.contents, columns.indexOf('user_id'), String(ann!.id));
      archive.manifest.users = [{ id: ann!.id, email: 'ann@example.com', created_at: '2020-01-01T00:00:00.000Z' }];
    };
    const { ok, output } = await archives.restore(app, await archives.changed(file, change));
    expect(output).toContain(`no members any more: ann@example.com (user ${ann!.id})`);
    expect(ok).toBe(true);
    const keys = 'SELECT user_id, revoked_at IS NULL AS works FROM api_keys WHERE workspace_id = $1';
    expect(await app.sql(keys, [gone.id])).toEqual([{ user_id: null, works: false }]);
    await deleteWorkspace(app, gone);
  });
});

describe('a restore', () => {
  it('needs the keys of the secrets, whatever the manifest says', async () => {
    const other = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
    const restore = (from: string) => archives.run(app, ['workspaces', 'restore', '--from', from], other);
    const unnamed = '1 secrets of the archive (secrets of webhooks) cannot be read with the keys that are given';
    expect(await restore(file)).toEqual({ ok: false, output: expect.stringContaining(unnamed) as string });
    const id = nameOfKey(app.config.secretsKey!);
    const named = await archives.changed(file, ({ manifest }) => void manifest.secrets_keys.push(id));
    const missing = `need the SECRETS_KEY ${id}, which is not given`;
    expect(await restore(named)).toEqual({ ok: false, output: expect.stringContaining(missing) as string });
    const column = (archive: OpenedArchive) =>
      archive.manifest.tables.find(({ name }) => name === 'webhooks')!.columns.indexOf('secret');
    const change = (archive: OpenedArchive) => {
      const part = partOf(archive, 'webhooks');
      part.contents = line(part.contents, column(archive), `\\\\x02${'ab'.repeat(40)}`);
      archive.manifest.secrets_keys = [];
    };
    await refused(await archives.changed(file, change), 'need the SECRETS_KEY abababababababab, which is not given');
  });

  it('waits for the end of a deletion', async () => {
    await app.sql(
      `INSERT INTO workspace_deletions (workspace_id, id, name, dry_run, request_id) VALUES ($1, gen_random_uuid(), 'x', false, 'r')`,
      [gone.id],
    );
    await refused(file, 'is still being deleted');
    await app.sql(`DELETE FROM workspace_deletions WHERE name = 'x'`);
  });

  it('happens once, keeps all texts as they are, and refuses an id that is in use', async () => {
    const dry = await archives.restore(app, file, '--dry-run');
    expect(dry).toEqual({ ok: true, output: expect.stringContaining('Nothing was changed.') as string });
    expect(await rowsOf(app, gone.id)).toEqual({});
    const both = await Promise.all([archives.restore(app, file), archives.restore(app, file)]);
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(both.find(({ ok }) => !ok)!.output).toContain(`Workspace ${gone.id} exists in this installation`);
    await untilAccepted(gone);
    const prompts = await gone.admin.get('/prompt-templates');
    expect(prompts).toMatchObject({ items: [{ prompt_name: `'); DROP TABLE prompts; --` }] });
    const { items } = (await gone.admin.post('/api/public/v2/requests/search', {})) as { items: { id: number }[] };
    const log = JSON.stringify(await gone.admin.get(`/api/public/v2/requests/${items[0]!.id}`));
    expect(log).toContain(JSON.stringify('line\nbreak\ttab \\ backslash \\. \\N').slice(1, -1));
    expect(await archives.restore(app, file)).toMatchObject({ ok: false });
  });
});
