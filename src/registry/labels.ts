import type { EntityManager, ObjectLiteral } from 'typeorm';
import { auditAll, type Caller } from '../access/index.js';
import { isSameName } from '../platform/comparable-text.js';
import type { Problem } from '../platform/errors/problem.js';
import { outdateChanges } from './label-changes/outdate-changes.js';
import { type ClearedLabels, type Deploying, demandLabels } from './protected-labels.js';
import type { Registry } from './registry.js';
import type { RegistryEntry, RegistryVersion } from './registry.entities.js';

/** Chooses a version: by its label, or else by its number, or else the latest. An empty label counts as none. */
export interface VersionChoice {
  version?: number | null;
  label?: string | null;
}

export interface LabelOnVersion {
  id: number;
  name: string;
  versionId: number;
  versionNumber: number;
  createdAt: Date;
}

/** A label that was put on a version. */
export interface PlacedLabel extends Pick<LabelOnVersion, 'id' | 'name' | 'versionNumber'> {
  /** The number of the version that it was on before; undefined for a new label. */
  oldNumber?: number;
}

export interface LabelsOptions<Entry> {
  /** First part of actions in the audit trail, such as `tool_label.move`. */
  noun: string;
  versionsTable: string;
  /** Permission to create, move and delete labels. */
  permission: Deploying;
  notFound: (entry: string, label: string) => Problem;
  /** Details of a label for the audit trail. */
  details: (entry: Entry, label: PlacedLabel) => object;
}

/** Labels such as "production" in a table of their own, each on one version of an entry. Entries are locked while labels change. */
export class Labels<Entry extends RegistryEntry & ObjectLiteral, Version extends RegistryVersion & ObjectLiteral> {
  constructor(
    private readonly registry: Registry<Entry, Version>,
    private readonly options: LabelsOptions<Entry>,
  ) {}

  /** The labels of an entry, by name. */
  async of(tx: EntityManager, { workspaceId, id }: Entry): Promise<LabelOnVersion[]> {
    return (await this.ofAll(tx, workspaceId, [id])).get(id)!;
  }

  /** The labels of some entries by the id of the entry, each list by name. One statement. */
  async ofAll(tx: EntityManager, workspaceId: number, ids: Entry['id'][]): Promise<Map<Entry['id'], LabelOnVersion[]>> {
    const { labelsTable, owner, idType } = this.registry.options;
    const rows = await tx.query<(LabelOnVersion & { owner: Entry['id'] })[]>(
      `SELECT l.${owner.column} AS owner, l.id, l.name, l.version_number AS "versionNumber", v.id AS "versionId",
              l.created_at AS "createdAt"
         FROM ${labelsTable} l
         JOIN ${this.options.versionsTable} v
           ON v.workspace_id = $1 AND v.${owner.column} = l.${owner.column} AND v.number = l.version_number
        WHERE l.workspace_id = $1 AND l.${owner.column} = ANY ($2::${idType}[]) ORDER BY l.name COLLATE "C"`,
      [workspaceId, ids],
    );
    const labels = new Map(ids.map((id) => [id, [] as LabelOnVersion[]]));
    for (const { owner: id, ...label } of rows) labels.get(id)!.push(label);
    return labels;
  }

  /** Finds the chosen version, with all labels of the entry. Throws if the version or the label is not found. */
  async choose(
    tx: EntityManager,
    entry: Entry,
    { version, label }: VersionChoice,
  ): Promise<{ version: Version; labels: LabelOnVersion[] }> {
    // Reads all labels once: a label may be moved meanwhile, and the response must agree with the choice.
    const labels = await this.of(tx, entry);
    const number = label ? this.pick(entry, labels, label).versionNumber : (version ?? entry.latestVersion);
    return { version: await this.registry.getVersion(tx, entry, number), labels };
  }

  /** Puts one label on a version. Throws if there is no such version, permission_missing, label_protected and approval_needed. */
  async put(
    tx: EntityManager,
    caller: Caller,
    entry: Entry,
    { name, number }: { name: string; number: number },
  ): Promise<{ label: LabelOnVersion; isChanged: boolean }> {
    const { number: versionNumber } = await this.registry.getVersion(tx, entry, number);
    const labels = await demandLabels(tx, caller, this.options.permission, [name]);
    const changed = await this.place(tx, caller, entry, { versionNumber, labels });
    const label = (await this.of(tx, entry)).find((each) => each.name === name)!;
    return { label, isChanged: changed.length > 0 };
  }

  /** Puts new or existing labels on a version. Returns those that were not on it before. */
  async place(
    tx: EntityManager,
    caller: Caller,
    entry: Entry,
    { versionNumber, labels: { names } }: { versionNumber: number; labels: ClearedLabels },
  ): Promise<PlacedLabel[]> {
    if (names.length === 0) return [];
    const before = new Map((await this.of(tx, entry)).map((label) => [label.name, label.versionNumber]));
    const { labelsTable, owner } = this.registry.options;
    const rows = await tx.query<{ id: number; name: string }[]>(
      `INSERT INTO ${labelsTable} (workspace_id, ${owner.column}, version_number, name)
       SELECT $1, $2, $3, * FROM unnest($4::text[])
       ON CONFLICT (workspace_id, ${owner.column}, name) DO UPDATE SET version_number = excluded.version_number
       RETURNING id, name`,
      [entry.workspaceId, entry.id, versionNumber, names.filter((name) => before.get(name) !== versionNumber)],
    );
    const placed = rows.map(({ id, name }) => ({ id, name, versionNumber, oldNumber: before.get(name) }));
    const deeds = placed.map((label) => this.deed(label.oldNumber === undefined ? 'create' : 'move', entry, label));
    await auditAll(tx, caller, deeds);
    await this.outdate(tx, entry, placed);
    return placed;
  }

  /** Removes a label and returns it. Throws if it is not found, permission_missing, label_protected and approval_needed. */
  async remove(tx: EntityManager, caller: Caller, entry: Entry, name: string): Promise<LabelOnVersion> {
    const label = this.pick(entry, await this.of(tx, entry), name);
    const cleared = await demandLabels(tx, caller, this.options.permission, [label.name]);
    await this.delete(tx, caller, entry, cleared);
    return label;
  }

  /** Removes labels of an entry and returns them. */
  async delete(tx: EntityManager, caller: Caller, entry: Entry, { names }: ClearedLabels): Promise<LabelOnVersion[]> {
    const labels = (await this.of(tx, entry)).filter(({ name }) => names.includes(name));
    const { labelsTable } = this.registry.options;
    const ids = labels.map(({ id }) => id);
    await tx.query(`DELETE FROM ${labelsTable} WHERE workspace_id = $1 AND id = ANY ($2::int[])`, [
      entry.workspaceId,
      ids,
    ]);
    const deeds = labels.map((label) => this.deed('delete', entry, label));
    await auditAll(tx, caller, deeds);
    await this.outdate(tx, entry, labels);
    return labels;
  }

  /** Finds the label with this name, or else one with the same letters in other code points. */
  private pick(entry: Entry, labels: LabelOnVersion[], name: string): LabelOnVersion {
    const found = labels.find((label) => label.name === name) ?? labels.find((label) => isSameName(label.name, name));
    if (!found) throw this.options.notFound(entry.name, name);
    return found;
  }

  /** Marks open requests for these labels as outdated, because they are about the old positions. */
  private outdate(tx: EntityManager, { workspaceId, id }: Entry, labels: { name: string }[]): Promise<void> {
    const { noun: kind } = this.registry.options;
    return outdateChanges(tx, { workspaceId, kind, itemIds: [id], labels: labels.map(({ name }) => name) });
  }

  private deed(verb: 'create' | 'move' | 'delete', entry: Entry, label: PlacedLabel) {
    return { action: `${this.options.noun}.${verb}`, entityId: label.id, details: this.options.details(entry, label) };
  }
}
