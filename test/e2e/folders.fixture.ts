import { Module } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { expect } from 'vitest';
import { auditAll, type Caller } from '../../src/access/index.js';
import { releaseExternalIds } from '../../src/external-ids/index.js';
import { FolderItem, type FolderItemKind } from '../../src/folders/index.js';
import type { Client } from '../support/client.js';
import { TABLES } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

export const FOLDERS = '/api/public/v2/folders';
export const ENTITIES = `${FOLDERS}/entities`;

/** Two kinds of notes in one table, as teams would add them from outside: with tags, content and external ids. */
const NOTES = {
  table: 'notes',
  idType: 'integer',
  nameSql: 'e.name',
  tagsSql: 'e.tags',
  metadataSql: `jsonb_build_object('length', length(e.text))`,
  content: { table: 'notes', idColumn: 'id', textSql: 'lower(c.text)' },
  externalIdType: 'note',
  editPermission: 'PROMPT_EDIT',
  deletePermission: 'PROMPT_DELETE',
} as const;

async function deleteNotes(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
  await tx.query('UPDATE notes SET deleted_at = now() WHERE id = ANY ($1::integer[])', [ids]);
  await releaseExternalIds(tx, caller.workspaceId, 'note', ids);
  const deeds = ids.map((entityId) => ({ action: 'note.delete', entityId }));
  await auditAll(tx, caller, deeds);
}

@FolderItem({ ...NOTES, name: 'AB_TEST', whereSql: 'NOT e.pinned' })
class NoteItem implements FolderItemKind {
  delete = deleteNotes;
}

@FolderItem({ ...NOTES, name: 'INPUT_VARIABLE_SET', whereSql: 'e.pinned' })
class PinnedNoteItem implements FolderItemKind {
  delete = deleteNotes;
}

/** A kind that only admins may touch. */
@FolderItem({
  name: 'INPUT_VARIABLE_SET',
  table: 'vaults',
  idType: 'integer',
  nameSql: 'e.name',
  editPermission: 'ADMIN',
  deletePermission: 'ADMIN',
})
class VaultItem implements FolderItemKind {
  async delete(tx: EntityManager, _: Caller, ids: string[]): Promise<void> {
    await tx.query('UPDATE vaults SET deleted_at = now() WHERE id = ANY ($1::integer[])', [ids]);
  }
}

@Module({ providers: [NoteItem, PinnedNoteItem] })
class NotesModule {}

@Module({ providers: [VaultItem] })
class VaultsModule {}

export interface Folder {
  id: number;
  name: string;
  parent_id: number | null;
  path: { id: number; name: string }[] | null;
  workspace_id: number;
  created_at: string;
  updated_at: string;
  external_ids: object[];
}
export interface Entity {
  id: number | string;
  name: string;
  type: string;
  folder_id: number | null;
  path: string[];
  created_at: string;
  updated_at: string;
  metadata?: object;
  external_ids: object[];
}
export type Ref = { id: number | string; type: string };
type Query = Record<string, string | number>;
export interface NewNote {
  name: string;
  text?: string;
  tags?: string[];
  pinned?: boolean;
}

/** A server whose folders also hold notes (AB_TEST, INPUT_VARIABLE_SET) or vaults (INPUT_VARIABLE_SET), and what tests do with it. */
export class FoldersApp {
  private constructor(
    readonly app: TestApp,
    readonly db: DataSource,
  ) {}

  static async start(holding: 'notes' | 'vaults' = 'notes'): Promise<FoldersApp> {
    const extensions = [holding === 'notes' ? NotesModule : VaultsModule];
    const app = await TestApp.start({ works: false, extensions });
    const db = app.app.get(DataSource);
    const ofNotes = `, tags text[] NOT NULL DEFAULT '{}', text text, pinned boolean NOT NULL DEFAULT false`;
    for (const [table, more] of [
      ['notes', ofNotes],
      ['vaults', ''],
    ]) {
      await db.query(`CREATE TABLE ${table} (workspace_id integer NOT NULL, id integer GENERATED ALWAYS AS IDENTITY,
        folder_id integer, name text NOT NULL, created_by integer, created_at timestamptz(3) DEFAULT now(),
        updated_at timestamptz(3) DEFAULT now(), deleted_at timestamptz(3) ${more})`);
    }
    return new FoldersApp(app, db);
  }

  async note(client: Client, note: NewNote, folder: number | null = null): Promise<Ref> {
    const { name, text = null, tags = [], pinned = false } = note;
    const [row] = await this.db.query<{ id: number }[]>(
      `INSERT INTO notes (workspace_id, folder_id, name, text, tags, pinned) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
      [await this.workspaceOf(client), folder, name, text, tags, pinned],
    );
    return { id: row!.id, type: pinned ? 'INPUT_VARIABLE_SET' : 'AB_TEST' };
  }

  async vault(client: Client, folder: number | null = null): Promise<Ref> {
    const [row] = await this.db.query<{ id: number }[]>(
      `INSERT INTO vaults (workspace_id, folder_id, name) VALUES ($1, $2, 'Vault') RETURNING id`,
      [await this.workspaceOf(client), folder],
    );
    return { id: row!.id, type: 'INPUT_VARIABLE_SET' };
  }

  async workspaceOf(client: Client): Promise<number> {
    const [row] = await this.db.query<{ workspace_id: number }[]>(
      `SELECT workspace_id FROM api_keys WHERE hash = sha256($1::bytea)`,
      [client.apiKey],
    );
    return row!.workspace_id;
  }

  /** A client with another key of the workspace. */
  async keyIn(client: Client, body: object): Promise<Client> {
    const url = `/api/admin/v1/workspaces/${await this.workspaceOf(client)}/api-keys`;
    return this.app.clientWith(((await this.app.operator().post(url, body, 201)) as { secret: string }).secret);
  }

  /** Deletions in the audit trail. */
  async deletions(client: Client): Promise<string[]> {
    const rows = await this.db.query<{ entry: string }[]>(
      `SELECT action || ' ' || entity_id AS entry FROM audit_entries WHERE workspace_id = $1 AND action LIKE '%.delete'`,
      [await this.workspaceOf(client)],
    );
    return rows.map(({ entry }) => entry).sort();
  }

  /** Rows in a folder that does not exist. */
  async orphans(): Promise<unknown[]> {
    const places = [
      ['tables', 'folder_id', 'deleted_at IS NULL'],
      ['folders', 'parent_id', 'true'],
    ];
    const found = places.map(([table, place, live]) =>
      this.db.query<unknown[]>(`SELECT e.id FROM ${table} e WHERE ${live} AND ${place} IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM folders f WHERE f.workspace_id = e.workspace_id AND f.id = e.${place})`),
    );
    return (await Promise.all(found)).flat();
  }
}

export async function newFolder(
  client: Client,
  name: string,
  parent: number | null = null,
  more = {},
): Promise<Folder> {
  const answer = await client.post(FOLDERS, { name, parent_id: parent, ...more }, 201);
  return (answer as { folder: Folder }).folder;
}

/** Folders one in another; gives their ids from the top. */
export async function nest(client: Client, ...names: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) ids.push((await newFolder(client, name, ids.at(-1) ?? null)).id);
  return ids;
}

export async function newTable(client: Client, title: string, folder: number | null = null): Promise<Ref> {
  const answer = await client.post(TABLES, { title, folder_id: folder, create_default_sheet: false }, 201);
  return { id: (answer as { table: { id: string } }).table.id, type: 'TABLE' };
}

export const folderRef = (id: number): Ref => ({ id, type: 'FOLDER' });

export async function list(client: Client, query: Query = {}): Promise<Entity[]> {
  const text = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return ((await client.get(`${ENTITIES}?${text.join('&')}`)) as { entities: Entity[] }).entities;
}

export async function names(client: Client, query: Query = {}): Promise<string[]> {
  return (await list(client, query)).map(({ name }) => name);
}

export function move(client: Client, entities: Ref[], folder: number | null, status = 200): Promise<unknown> {
  return client.post(ENTITIES, { entities, folder_id: folder }, status);
}

export async function remove(client: Client, entities: Ref[], more: object = {}, status = 200): Promise<unknown> {
  const answer = await client.request('DELETE', ENTITIES, { entities, ...more });
  expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  return answer.body;
}

export async function resolve(client: Client, path: string): Promise<number> {
  const url = `${FOLDERS}/resolve-id?path=${encodeURIComponent(path)}`;
  return ((await client.get(url)) as { id: number }).id;
}
