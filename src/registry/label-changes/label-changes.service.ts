import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand, FindsInPath, type PathLookup, personBehind } from '../../access/index.js';
import { readLabelRules } from '../label-rules.js';
import { emit } from '../../events/index.js';
import { isSameName } from '../../platform/comparable-text.js';
import { Problem } from '../../platform/errors/problem.js';
import type { Order } from '../../platform/http/list.js';
import { needsApproval } from '../protected-labels.js';
import type { RegistryEntry } from '../registry.entities.js';
import { LabelChangeEvents, requestDetails } from './label-change-events.js';
import { LabelChange, type LabelledKindName, stateOf } from './label-change.entity.js';
import { LabelChangeErrors } from './label-changes.errors.js';
import { type ChangeFilters, getChange, listChanges, type ShownLabelChange } from './label-changes.queries.js';
import { LabelledKinds } from './labelled-kinds.js';

const DAYS_OPEN = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface NewLabelChange {
  kind: LabelledKindName;
  /** The id or the name of the item. */
  item: string;
  label: string;
  /** null to remove the label. */
  toVersion: number | null;
  reason: string;
}

/** A request, and the version that has its label now; null when none has. */
export type ReadLabelChange = ShownLabelChange & { currentVersion: number | null };

/** Requests for changes of labels that need an approval. */
@FindsInPath({ name: 'label_change_id', ids: { label_change_id: 'uuid' } })
export class LabelChangesService implements PathLookup<{ label_change_id: string }> {
  constructor(
    private readonly db: DataSource,
    private readonly kinds: LabelledKinds,
  ) {}

  findInPath(caller: Caller, { label_change_id: id }: { label_change_id: string }): Promise<unknown> {
    return getChange(this.db.manager, caller, id);
  }

  /** Up to `limit + 1` requests. */
  list(
    caller: Caller,
    filters: ChangeFilters,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<ShownLabelChange[]> {
    return listChanges(this.db.manager, caller, filters, page);
  }

  async get(caller: Caller, id: string): Promise<ReadLabelChange> {
    const { manager } = this.db;
    const change = await getChange(manager, caller, id);
    const entry = await this.kinds.find(manager, change);
    return { ...change, currentVersion: entry && (await this.kinds.currentVersion(manager, change, entry)) };
  }

  /**
   * Requests a change. If the caller has an open request for the same change, it is returned. Throws a 404 for the item or the
   * version, permission_missing, approval_not_needed, label_change_empty and label_change_exists.
   */
  ask(caller: Caller, input: NewLabelChange): Promise<ShownLabelChange> {
    const { kind, toVersion, reason } = input;
    const { permission, plugin } = this.kinds.get(kind);
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const entry = await plugin.registry.find(tx, workspaceId, input.item, 'for_no_key_update');
      if (!entry) throw LabelChangeErrors.label_change_item_not_found(kind.replace('_', ' '), input.item);
      demand(caller, permission);
      const { label, fromVersion } = await this.findLabel(tx, entry, input);
      if (!needsApproval(await readLabelRules(tx, workspaceId), label)) {
        throw LabelChangeErrors.approval_not_needed(label);
      }
      if (toVersion !== null) {
        await plugin
          .checkTarget(tx, entry, { name: label, versionNumber: toVersion })
          .catch(refuseTarget(entry, toVersion));
      }
      if (fromVersion === toVersion) throw LabelChangeErrors.label_change_empty(label, toVersion);
      const wanted = { kind, itemId: String(entry.id), label, fromVersion, toVersion };
      const open = await findOpen(tx, caller, wanted);
      const id = open ?? (await insertChange(tx, caller, { ...wanted, itemName: entry.name, reason }));
      return getChange(tx, caller, id);
    });
  }

  /** The label of the entry, however its letters are written, and where it is. */
  private async findLabel(tx: EntityManager, entry: RegistryEntry, { kind, label: name }: NewLabelChange) {
    const labels = await this.kinds.get(kind).plugin.labelsOf(tx, entry);
    const known = labels.find((label) => label.name === name) ?? labels.find((label) => isSameName(label.name, name));
    return { label: known?.name ?? name.normalize(), fromVersion: known?.versionNumber ?? null };
  }
}

/** Problems of the kind in the words of requests. */
function refuseTarget({ name }: RegistryEntry, version: number): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 404) throw LabelChangeErrors.label_change_version_not_found(name, version);
    throw LabelChangeErrors.label_change_impossible(error.message);
  };
}

type Wanted = Pick<LabelChange, 'kind' | 'itemId' | 'label' | 'fromVersion' | 'toVersion'>;

/** The id of the open request for the same change by the same caller. Throws label_change_exists for another open request. */
async function findOpen(
  tx: EntityManager,
  { workspaceId, keyId, user }: Caller,
  { kind, itemId, label, toVersion }: Wanted,
): Promise<string | null> {
  const open = await tx.findOneBy(LabelChange, { workspaceId, kind, itemId, label, state: 'open' });
  if (!open) return null;
  const { id } = open;
  const { state, outdatedBecause } = stateOf(open);
  if (state === 'outdated') {
    await tx.update(LabelChange, { workspaceId, id }, { state, outdatedBecause, decidedAt: new Date() });
    return null;
  }
  const isOwn = open.askedBy === keyId || (user !== null && open.askedUserId === user.id);
  if (!isOwn || open.toVersion !== toVersion) throw LabelChangeErrors.label_change_exists(label, id);
  return id;
}

async function insertChange(
  tx: EntityManager,
  caller: Caller,
  wanted: Wanted & Pick<LabelChange, 'itemName' | 'reason'>,
): Promise<string> {
  const { workspaceId, keyId } = caller;
  const id = randomUUID();
  const [askedUserId, expiresAt] = [await personBehind(tx, caller), new Date(Date.now() + DAYS_OPEN * DAY_MS)];
  const change = tx.create(LabelChange, { ...wanted, workspaceId, id, askedBy: keyId!, askedUserId, expiresAt });
  await tx.insert(LabelChange, change);
  await emit(tx, caller, LabelChangeEvents.requested(requestDetails(change)));
  const { label_change_id: entityId, ...details } = requestDetails(change);
  await audit(tx, caller, { action: 'label_change.create', entityId, details });
  return id;
}
