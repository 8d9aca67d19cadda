import {
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  IsNull,
  type ObjectLiteral,
  type QueryDeepPartialEntity,
} from 'typeorm';
import { audit, auditAll, type Caller, type Permission } from '../access/index.js';
import { listConditions, type ListedTable, type ListQuery, type SortKey } from '../entity-lists/index.js';
import { attachExternalIds, type ExternalIdBody, readExternalIds, releaseExternalIds } from '../external-ids/index.js';
import { uniqueViolation } from '../platform/errors/failures.js';
import type { Problem } from '../platform/errors/problem.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { meaningsOf, shownIdentifier } from '../platform/http/id-or-name.js';
import type { LabelledKindName } from './label-changes/label-change.entity.js';
import { outdateChanges } from './label-changes/outdate-changes.js';
import { demandUnprotected } from './protected-labels.js';
import type { RegistryEntry, RegistryVersion } from './registry.entities.js';

export interface RegistryOptions<Entry, Version> {
  /** First part of actions in the audit trail, such as `tool.update`, and the kind in requests for label changes. */
  noun: LabelledKindName;
  entry: EntityTarget<Entry>;
  version: EntityTarget<Version>;
  /** The table of entries. The unique index of their names is called `<table>_name_key`. */
  table: string;
  idType: 'integer' | 'uuid';
  /** A table of labels, or SQL for one. */
  labelsTable: string;
  /** The property of versions that has the id of the entry, and its column, which labels have as well. */
  owner: { property: keyof Version & string; column: string };
  /** The type under which external ids are attached. */
  externalIdType: string;
  permissions: { edit: Permission; delete: Permission };
  /** Possible meanings of an identifier, ordered by precedence. Default: the id, then the name. */
  meaningsOf?: (text: string) => FindOptionsWhere<Entry>[];
  errors: {
    notFound: (identifier: string | number) => Problem;
    versionNotFound: (entry: string, version: number) => Problem;
    nameTaken?: (name: string) => Problem;
  };
}

export type WithExternalIds<T> = T & { externalIds: ExternalIdBody[] };

export type DeletedEntry<Entry extends RegistryEntry> = Pick<Entry, 'id' | 'name' | 'latestVersion'>;

type Identifier<Entry extends RegistryEntry> = string | { id: Entry['id'] } | { name: string };
type Lock = 'for_no_key_update' | 'pessimistic_read';

/** Named entries with numbered versions, such as tools. */
export class Registry<Entry extends RegistryEntry & ObjectLiteral, Version extends RegistryVersion & ObjectLiteral> {
  constructor(readonly options: RegistryOptions<Entry, Version>) {}

  /** Access of folders to entries. */
  get item() {
    const { table, idType, externalIdType, permissions } = this.options;
    return {
      table,
      idType,
      externalIdType,
      editPermission: permissions.edit,
      deletePermission: permissions.delete,
    };
  }

  /** Access of external IDs to entries. */
  get externalIdHolder() {
    const { table, idType, externalIdType: type, permissions } = this.options;
    return { type, table, idType, softDeleted: true, editedWith: new RegExp(`^${permissions.edit}$`) };
  }

  /** Returns a live entry. Throws if it is not found. */
  async get(tx: EntityManager, workspaceId: number, identifier: Identifier<Entry>, lock?: Lock): Promise<Entry> {
    const entry = await this.find(tx, workspaceId, identifier, lock);
    if (!entry) throw this.options.errors.notFound(shownIdentifier(identifier as string));
    return entry;
  }

  /** Returns a live entry, locked until the end of the transaction. All changes of an entry, its versions and its labels lock it. */
  lock(tx: EntityManager, workspaceId: number, identifier: Identifier<Entry>): Promise<Entry> {
    return this.get(tx, workspaceId, identifier, 'for_no_key_update');
  }

  /** Returns a live entry, or null. */
  async find(
    tx: EntityManager,
    workspaceId: number,
    identifier: Identifier<Entry>,
    lock?: Lock,
  ): Promise<Entry | null> {
    const { entry: target, meaningsOf: meanings = meaningsOf } = this.options;
    for (const meant of typeof identifier === 'string' ? meanings(identifier) : [identifier]) {
      const where = { ...meant, workspaceId, deletedAt: IsNull() } as FindOptionsWhere<Entry>;
      const entry = await tx.findOne(target, { where, ...(lock && { lock: { mode: lock } }) });
      if (entry) return entry;
    }
    return null;
  }

  /** The entries that match. */
  list(
    tx: EntityManager,
    workspaceId: number,
    query: ListQuery,
    { sortBy, page }: { sortBy: SortKey; page?: { limit: number; offset: number } },
  ): Promise<Entry[]> {
    const { sort_by: key = sortBy, sort_order: order = 'desc' } = query;
    const parameters = new SqlParameters([workspaceId]);
    const from = this.fromMatching(query, parameters);
    const range = page ? `LIMIT ${parameters.add(page.limit)} OFFSET ${parameters.add(page.offset)}` : '';
    return tx.query<Entry[]>(
      `SELECT ${this.columnsSql(tx, 'e')} ${from} ORDER BY e.${key} ${order}, e.id ${order} ${range}`,
      parameters.values,
    );
  }

  /** The columns of the table under the names of their properties. */
  columnsSql(tx: EntityManager, alias: string): string {
    const { columns } = tx.connection.getMetadata(this.options.entry);
    return columns.map(({ databaseName, propertyName }) => `${alias}.${databaseName} AS "${propertyName}"`).join(', ');
  }

  /** Number of matching entries. */
  async count(tx: EntityManager, workspaceId: number, query: ListQuery): Promise<number> {
    const parameters = new SqlParameters([workspaceId]);
    const from = this.fromMatching(query, parameters);
    const [{ total }] = await tx.query<[{ total: number }]>(`SELECT count(*)::int AS total ${from}`, parameters.values);
    return total;
  }

  private fromMatching(query: ListQuery, parameters: SqlParameters): string {
    const { table, idType, externalIdType } = this.options;
    const listed: ListedTable = { alias: 'e', workspaceSql: '$1::int', idType, externalIdType };
    return `FROM ${table} e WHERE ${listConditions(query, listed, parameters)}`;
  }

  /** Inserts an entry. Throws if the name is taken. */
  async insert(
    tx: EntityManager,
    { workspaceId, keyId: createdBy }: Caller,
    row: Partial<Entry> & { name: string },
  ): Promise<Entry> {
    const { entry: target } = this.options;
    const values = { ...row, workspaceId, createdBy } as QueryDeepPartialEntity<Entry>;
    const { identifiers } = await tx.insert(target, values).catch(this.nameTaken(row.name));
    const { id } = identifiers[0] as { id: Entry['id'] };
    return tx.findOneByOrFail(target, { workspaceId, id } as FindOptionsWhere<Entry>);
  }

  /** Changes a locked entry. Throws if the name is taken. */
  async change(tx: EntityManager, entry: Entry, change: Partial<Entry>): Promise<Entry> {
    const { workspaceId, id } = entry;
    const next = { ...change, updatedAt: new Date() };
    const where = { workspaceId, id } as FindOptionsWhere<Entry>;
    const { name = entry.name } = change;
    await tx.update(this.options.entry, where, next as QueryDeepPartialEntity<Entry>).catch(this.nameTaken(name));
    return { ...entry, ...next };
  }

  /** Changes a locked entry for a caller, with an entry in the audit trail. Throws if the name is taken. */
  async update(tx: EntityManager, caller: Caller, entry: Entry, change: Partial<Entry>): Promise<Entry> {
    const changed = await this.change(tx, entry, change);
    const details = { name: changed.name, old_name: entry.name };
    await audit(tx, caller, { action: `${this.options.noun}.update`, entityId: entry.id, details });
    return changed;
  }

  /** Takes the next version number of a locked entry, and makes the other changes. */
  takeNumber(tx: EntityManager, entry: Entry, change: Partial<Entry> = {}): Promise<Entry> {
    return this.change(tx, entry, { ...change, latestVersion: entry.latestVersion + 1 });
  }

  /** Stores a version under a number that the caller has taken. */
  async storeVersion(
    tx: EntityManager,
    { keyId: createdBy }: Caller,
    { workspaceId, id, latestVersion: number }: Entry,
    content: Partial<Version>,
  ): Promise<Version> {
    const { version: target } = this.options;
    const key = this.versionKey(workspaceId, id, number);
    await tx.insert(target, { ...content, ...key, createdBy } as QueryDeepPartialEntity<Version>);
    return tx.findOneByOrFail(target, key);
  }

  /** Returns a version by its number. Throws if it is not found. */
  async getVersion(tx: EntityManager, { workspaceId, id, name }: Entry, number: number): Promise<Version> {
    const { version: target, errors } = this.options;
    const version = await tx.findOneBy(target, this.versionKey(workspaceId, id, number));
    if (!version) throw errors.versionNotFound(name, number);
    return version;
  }

  /** The key of a version. TypeORM cannot know the name of its column for the entry. */
  private versionKey(workspaceId: number, id: Entry['id'], number: number): FindOptionsWhere<Version> {
    return { workspaceId, [this.options.owner.property]: id, number } as unknown as FindOptionsWhere<Version>;
  }

  attachExternalIds(tx: EntityManager, { workspaceId, id }: Entry, pairs: ExternalIdBody[]): Promise<void> {
    return attachExternalIds(tx, { workspaceId, type: this.options.externalIdType, id }, pairs);
  }

  async externalIdsOf(tx: EntityManager, { workspaceId, id }: Entry): Promise<ExternalIdBody[]> {
    return (await this.externalIdsOfAll(tx, workspaceId, [id])).get(String(id))!;
  }

  /** External IDs by the id of the entry as text. */
  externalIdsOfAll(tx: EntityManager, workspaceId: number, ids: Entry['id'][]): Promise<Map<string, ExternalIdBody[]>> {
    return readExternalIds(tx, workspaceId, this.options.externalIdType, ids);
  }

  async withExternalIds<Shown extends Entry>(
    tx: EntityManager,
    workspaceId: number,
    entries: Shown[],
  ): Promise<WithExternalIds<Shown>[]> {
    const ids = entries.map(({ id }) => id);
    const externalIds = await this.externalIdsOfAll(tx, workspaceId, ids);
    return entries.map((entry) => ({ ...entry, externalIds: externalIds.get(String(entry.id))! }));
  }

  /**
   * Deletes locked entries. They keep their rows and versions; their names and external ids become free. Throws label_protected and
   * approval_needed.
   */
  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<DeletedEntry<Entry>[]> {
    const { noun, table, idType, labelsTable, owner, externalIdType } = this.options;
    const { workspaceId } = caller;
    // Arrays instead of one parameter per id: a statement may have 65,535 of those.
    const [deleted] = await tx.query<[DeletedEntry<Entry>[], number]>(
      `UPDATE ${table} SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::${idType}[])
       RETURNING id, name, latest_version AS "latestVersion"`,
      [workspaceId, ids],
    );
    const labels = `SELECT DISTINCT name FROM ${labelsTable} l
      WHERE l.workspace_id = $1 AND l.${owner.column} = ANY ($2::${idType}[])`;
    await demandUnprotected(tx, caller, labels, ids);
    await outdateChanges(tx, { workspaceId, kind: noun, itemIds: ids });
    await releaseExternalIds(tx, workspaceId, externalIdType, ids);
    const deeds = deleted.map(({ id, name }) => ({ action: `${noun}.delete`, entityId: id, details: { name } }));
    await auditAll(tx, caller, deeds);
    return deleted;
  }

  private nameTaken(name: string): (error: unknown) => never {
    const { table, errors } = this.options;
    return (error) => {
      throw (uniqueViolation(error) === `${table}_name_key` && errors.nameTaken?.(name)) || error;
    };
  }
}
