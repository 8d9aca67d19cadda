import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { EntityManager } from 'typeorm';
import { type ArchivedUser, revokeUnknownUsers } from '../../administration/index.js';
import { copyTarget } from '../../platform/backup/stored-tables.js';
import type { WorkspaceTable } from '../shared/workspace-tables.queries.js';
import { ArchiveRefusal } from './archive-format.js';
import type { ArchiveRows } from './archive-rows.js';

/** Ids of API keys that changed, with their new ones. */
export interface NewIds {
  old: number[];
  new: number[];
}

export interface Loaded {
  /** Ids of users that are not users of this installation. */
  unknownUsers: number[];
  /** Ids that other workspaces have, by table. */
  takenIds: Record<string, number[]>;
  newKeyIds: NewIds;
}

interface LoadOptions {
  workspaceId: number;
  users: ArchivedUser[];
  dryRun: boolean;
  newIds: boolean;
}

/** Loads the rows of an archive into the tables of a transaction, one table after the other. */
export class TableLoader {
  private readonly loaded: Loaded = { unknownUsers: [], takenIds: {}, newKeyIds: { old: [], new: [] } };

  constructor(
    private readonly tx: EntityManager,
    private readonly client: ClientBase,
    private readonly rows: ArchiveRows,
    private readonly options: LoadOptions,
  ) {}

  /** A dry run loads only rows that could collide with those of other workspaces, into temporary tables. */
  async load(tables: WorkspaceTable[]): Promise<Loaded> {
    for (const table of tables) {
      if (table.isShared) await this.loadShared(table);
      else if (this.options.dryRun) await this.rows.skip(table.name);
      else await this.loadOwn(table);
    }
    return this.loaded;
  }

  /** Replaces rows that triggers have stored when the tables before were loaded. */
  private async loadOwn({ name, key, columns }: WorkspaceTable): Promise<void> {
    if (key === 'workspace_id') {
      await this.tx.query(`DELETE FROM "${name}" WHERE workspace_id = $1`, [this.options.workspaceId]);
    }
    await this.copy(name, copyTarget({ name, columns }));
  }

  private async copy(table: string, target: string): Promise<void> {
    await pipeline(this.rows.of(table), this.client.query(copyFrom(`COPY ${target} FROM STDIN`)));
  }

  /**
   * Loads rows with ids that are unique in the installation, such as API keys. A temporary table takes them first, where conflicting
   * ids and unknown users can be changed.
   */
  private async loadShared(table: WorkspaceTable): Promise<void> {
    const staged = `pg_temp."restored_${table.name}"`;
    const columns = table.columns.map((column) => `"${column}"`).join(', ');
    await this.tx.query(
      `CREATE TEMP TABLE "restored_${table.name}" ON COMMIT DROP AS SELECT ${columns} FROM "${table.name}" WITH NO DATA`,
    );
    await this.copy(table.name, `${staged} (${columns})`);
    await this.replaceTakenIds(table, staged);
    if (table.name === 'api_keys') {
      const unknown = await revokeUnknownUsers(this.tx, staged, this.options.users);
      this.loaded.unknownUsers = unknown.map(({ id }) => id);
    }
    if (this.options.dryRun) return;
    await this.tx.query(
      `INSERT INTO "${table.name}" (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${staged}`,
    );
  }

  private async replaceTakenIds({ name, identity }: WorkspaceTable, staged: string): Promise<void> {
    if (identity === null) return;
    const found = await this.tx.query<{ id: number }[]>(
      `SELECT s."${identity}" AS id FROM ${staged} s JOIN "${name}" t ON t."${identity}" = s."${identity}" ORDER BY 1`,
    );
    if (found.length === 0) return;
    const ids = found.map(({ id }) => id);
    this.loaded.takenIds[name] = ids;
    if (!this.options.newIds) throw new ArchiveRefusal(taken(name, ids));
    if (this.options.dryRun) return;
    const [changed] = await this.tx.query<[{ old: number; new: number }[], number]>(
      `WITH chosen AS (
         SELECT id AS old, nextval(pg_get_serial_sequence($2, $3)::regclass)::integer AS new FROM unnest($1::int[]) AS id)
       UPDATE ${staged} AS s SET "${identity}" = chosen.new FROM chosen WHERE s."${identity}" = chosen.old
       RETURNING chosen.old, chosen.new`,
      [ids, `"${name}"`, identity],
    );
    if (name !== 'api_keys') return;
    this.loaded.newKeyIds = { old: changed.map((each) => each.old), new: changed.map((each) => each.new) };
  }
}

const taken = (table: string, ids: number[]) =>
  `Other workspaces of this installation have the ids ${shortened(ids)} of ${table}. Add --new-ids to give those of the archive new ones: everything but the audit log names the new ids then.`;

const SHOWN = 10;

const shortened = (ids: number[]): string =>
  ids.length > SHOWN ? `${ids.slice(0, SHOWN).join(', ')} and ${ids.length - SHOWN} more` : ids.join(', ');
