import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, type Headers, pack } from 'tar-stream';
import { expect } from 'vitest';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import type { Manifest } from '../../src/workspace-data/archive/archive-format.js';
import type { Client } from './client.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

const ADMIN = '/api/admin/v1';

export interface Workspace {
  id: number;
  name: string;
  admin: Client;
}

export async function newWorkspace(app: TestApp): Promise<Workspace> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get('/api/public/v2/me')) as { workspace: { id: number; name: string } };
  return { ...workspace, admin };
}

export interface Ended {
  ok: boolean;
  output: string;
}

/** Commands of the operator, and the files that they write. */
export class Archives {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-archives-'));
  private count = 0;

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  newFile(): string {
    return path.join(this.folder, `${this.count++}.tar.gz`);
  }

  async run(app: TestApp, args: string[], env: Record<string, string> = {}): Promise<Ended> {
    let output = '';
    const say = (line: string) => void (output += `${line}\n`);
    const keys = { SECRETS_KEY: app.config.secretsKey!.toString('base64') };
    const surroundings = { DATABASE_URL: app.config.databaseUrl, INIT_CWD: this.folder, ...keys, ...env };
    try {
      await runAdminCommand(args, { env: surroundings, say, readSecret: () => Promise.resolve('') });
      return { ok: true, output };
    } catch (error) {
      return { ok: false, output: output + describeFailure(error) };
    }
  }

  async exported(app: TestApp, workspace: number): Promise<string> {
    const file = this.newFile();
    const ended = await this.run(app, ['workspaces', 'export', String(workspace), '--to', file]);
    expect(ended).toEqual({ ok: true, output: expect.any(String) as string });
    return file;
  }

  restore(app: TestApp, file: string, ...flags: string[]): Promise<Ended> {
    return this.run(app, ['workspaces', 'restore', '--from', file, ...flags]);
  }

  /** A copy of an archive with other contents. The manifest is made to fit the parts unless `signs` is false. */
  async changed(file: string, change: (archive: OpenedArchive) => void, { signs = true } = {}): Promise<string> {
    const archive = await openArchiveFile(file);
    change(archive);
    const target = this.newFile();
    writeFileSync(target, await closeArchive(archive, signs));
    return target;
  }
}

export interface OpenedEntry {
  header: Headers;
  contents: string;
}

export interface OpenedArchive {
  manifest: Manifest;
  /** All but the manifest. */
  entries: OpenedEntry[];
}

export async function openArchiveFile(file: string): Promise<OpenedArchive> {
  const tar = extract();
  tar.end(gunzipSync(readFileSync(file)));
  const entries: OpenedEntry[] = [];
  for await (const entry of tar) entries.push({ header: entry.header, contents: (await buffer(entry)).toString() });
  const manifest = JSON.parse(entries.pop()!.contents) as Manifest;
  return { manifest, entries };
}

async function closeArchive({ manifest, entries }: OpenedArchive, signs: boolean): Promise<Buffer> {
  const parts = entries.map(({ header: { name }, contents }) => ({
    name,
    table: name.split('/')[1]!,
    rows: contents.split('\n').length - 1,
    bytes: Buffer.byteLength(contents),
    sha256: createHash('sha256').update(contents).digest('hex'),
  }));
  const rowsOf = (table: string) => parts.reduce((sum, part) => sum + (part.table === table ? part.rows : 0), 0);
  const tables = manifest.tables.map((table) => ({ ...table, rows: rowsOf(table.name) }));
  const signed = signs ? { ...manifest, parts, tables } : manifest;
  const tar = pack();
  for (const { header, contents } of entries) {
    tar.entry({ name: header.name, type: header.type, linkname: header.linkname, size: undefined }, contents);
  }
  tar.entry({ name: 'manifest.json' }, JSON.stringify(signed));
  tar.finalize();
  return gzipSync(await buffer(tar));
}

interface Deletion {
  id: string;
  status: string;
}

/** Deletes a workspace and waits for its end. */
export async function deleteWorkspace(app: TestApp, { id, name }: Pick<Workspace, 'id' | 'name'>): Promise<void> {
  const operator = app.operator();
  const body = { workspace_id: id, dry_run: false, name };
  const { workspace_deletion: started } = (await operator.post(`${ADMIN}/workspace-deletions`, body, 202)) as {
    workspace_deletion: Deletion;
  };
  await until(async () => {
    const { workspace_deletions: all } = (await operator.get(`${ADMIN}/workspace-deletions`)) as {
      workspace_deletions: Deletion[];
    };
    return all.some((each) => each.id === started.id && each.status === 'completed');
  });
}

/** The key of a restored workspace works as soon as this process has forgotten that it did not. */
export const untilAccepted = ({ admin }: Workspace): Promise<void> =>
  until(async () => (await admin.request('GET', '/api/public/v2/me')).status === 200);

/** All rows of a workspace as texts, by table, in an order of their own. */
export async function rowsOf(app: TestApp, workspace: number): Promise<Record<string, string[]>> {
  const tables = (await app.sql(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE'
        AND c.table_name <> 'workspace_deletions' ORDER BY 1`,
  )) as { name: string }[];
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const rows = (await app.sql(`SELECT to_jsonb(t)::text AS row FROM "${name}" t WHERE workspace_id = $1`, [
      workspace,
    ])) as { row: string }[];
    if (rows.length > 0) found[name] = rows.map(({ row }) => row).sort();
  }
  return found;
}

/** The rows of a workspace in which nothing works any more. */
export async function settledRowsOf(app: TestApp, workspace: number): Promise<Record<string, string[]>> {
  let rows = await rowsOf(app, workspace);
  await until(async () => {
    const [before, after] = [JSON.stringify(rows), await rowsOf(app, workspace)];
    rows = after;
    return JSON.stringify(after) === before;
  });
  return rows;
}
