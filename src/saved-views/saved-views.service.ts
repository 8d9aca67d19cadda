import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere, IsNull } from 'typeorm';
import { ApiKey, audit, type Caller, demand } from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { uniqueViolation } from '../platform/errors/failures.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { SavedView, type Screen } from './saved-view.entity.js';
import { SavedViewErrors } from './saved-views.errors.js';

/** Limit of a workspace, private views included. */
const MOST = 1000;

export interface NewSavedView {
  screen: Screen;
  name: string;
  query: Record<string, string>;
  /** null: private for a user, shared for a service key. */
  isShared: boolean | null;
}

export type SavedViewChange = Partial<Pick<SavedView, 'name' | 'query' | 'isShared'>>;

/** A view as a caller sees it. */
export interface ShownView extends SavedView {
  /** The caller saved it. */
  isOwn: boolean;
}

@Injectable()
export class SavedViewsService {
  constructor(private readonly db: DataSource) {}

  /** Throws saved_view_exists, saved_view_too_many, saved_view_needs_user and permission_missing. */
  create(caller: Caller, input: NewSavedView): Promise<ShownView> {
    const { workspaceId } = caller;
    const isShared = input.isShared ?? caller.user === null;
    refuseSharing(caller, isShared);
    return this.db.transaction(async (tx) => {
      await refuseTooMany(tx, workspaceId);
      const id = randomUUID();
      const createdBy = await makerOf(tx, caller);
      const row = { ...input, isShared, workspaceId, id, createdBy };
      await refusingTakenNames(row, () => tx.insert(SavedView, row));
      const view = await tx.findOneByOrFail(SavedView, { workspaceId, id });
      await audit(tx, caller, { action: 'saved_view.create', entityId: id, details: detailsOf(view) });
      return { ...view, isOwn: true };
    });
  }

  /** Lists shared views and those of the caller. Returns up to `limit + 1` views. The extra one shows that there are more. */
  async list(caller: Caller, screen: Screen | undefined, page: CreatedPage): Promise<ShownView[]> {
    const tx = this.db.manager;
    const maker = await makerOf(tx, caller);
    const where = visibleTo(caller, maker, screen === undefined ? {} : { screen });
    const views = await readCreated(tx, SavedView, where, page);
    return views.map((view) => shown(view, maker));
  }

  /** Throws saved_view_not_found, also for a private view of another user. */
  async get(caller: Caller, id: string): Promise<ShownView> {
    const tx = this.db.manager;
    return getView(tx, caller, { id, maker: await makerOf(tx, caller) });
  }

  /** Changes a view. Views of others need ADMIN. Throws saved_view_not_found and the errors of `create`. */
  update(caller: Caller, id: string, change: SavedViewChange): Promise<ShownView> {
    return this.db.transaction(async (tx) => {
      const changed: ShownView = { ...(await getToChange(tx, caller, id)), ...change, updatedAt: new Date() };
      refuseSharing(caller, changed.isShared);
      // An admin who made the view of another user private could not see it any more.
      if (!changed.isShared && !changed.isOwn) throw SavedViewErrors.saved_view_needs_user();
      const { name, query, isShared, updatedAt } = changed;
      const key = { workspaceId: caller.workspaceId, id };
      await refusingTakenNames(changed, () => tx.update(SavedView, key, { name, query, isShared, updatedAt }));
      await audit(tx, caller, { action: 'saved_view.update', entityId: id, details: detailsOf(changed) });
      return changed;
    });
  }

  /** Deletes a view and returns it as it was. Views of others need ADMIN. Throws saved_view_not_found. */
  delete(caller: Caller, id: string): Promise<ShownView> {
    return this.db.transaction(async (tx) => {
      const known = await getToChange(tx, caller, id);
      await tx.delete(SavedView, { workspaceId: caller.workspaceId, id });
      await audit(tx, caller, { action: 'saved_view.delete', entityId: id, details: detailsOf(known) });
      return known;
    });
  }
}

/** The owner of views: the member behind a session or a personal key, or else the key itself. */
async function makerOf(tx: EntityManager, { workspaceId, keyId, user }: Caller): Promise<number | null> {
  if (!user) return keyId;
  const where = { workspaceId, userId: user.id, kind: 'member' as const, revokedAt: IsNull() };
  return (await tx.findOne(ApiKey, { where, select: { id: true } }))?.id ?? keyId;
}

function visibleTo(
  { workspaceId }: Caller,
  maker: number | null,
  others: FindOptionsWhere<SavedView>,
): (FindOptionsWhere<SavedView> & { workspaceId: number })[] {
  const among = { ...others, workspaceId };
  return [{ ...among, isShared: true }, ...(maker === null ? [] : [{ ...among, isShared: false, createdBy: maker }])];
}

const shown = (view: SavedView, maker: number | null): ShownView => ({
  ...view,
  isOwn: maker !== null && view.createdBy === maker,
});

async function getView(
  tx: EntityManager,
  caller: Caller,
  { id, maker, isLocked = false }: { id: string; maker: number | null; isLocked?: boolean },
): Promise<ShownView> {
  const where = visibleTo(caller, maker, { id });
  const view = await tx.findOne(SavedView, { where, ...(isLocked && { lock: { mode: 'for_no_key_update' } }) });
  if (!view) throw SavedViewErrors.saved_view_not_found(id);
  return shown(view, maker);
}

/** Locks the view to serialize concurrent changes. */
async function getToChange(tx: EntityManager, caller: Caller, id: string): Promise<ShownView> {
  const known = await getView(tx, caller, { id, maker: await makerOf(tx, caller), isLocked: true });
  if (!known.isOwn) demand(caller, 'ADMIN');
  return known;
}

/** Service keys have no private views, and sharing needs a permission. */
function refuseSharing(caller: Caller, isShared: boolean): void {
  if (isShared) demand(caller, 'METADATA_EDIT');
  else if (!caller.user) throw SavedViewErrors.saved_view_needs_user();
}

async function refuseTooMany(tx: EntityManager, workspaceId: number): Promise<void> {
  await lockUntilCommit(tx, 'saved-views', workspaceId);
  if ((await tx.countBy(SavedView, { workspaceId })) >= MOST) throw SavedViewErrors.saved_view_too_many(MOST);
}

async function refusingTakenNames<T>(view: { name: string; screen: Screen }, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isTaken = ['saved_views_shared_key', 'saved_views_private_key'].includes(uniqueViolation(error) ?? '');
    throw isTaken ? SavedViewErrors.saved_view_exists(view.name, view.screen) : error;
  }
}

const detailsOf = ({ screen, name, isShared }: SavedView) => ({ screen, name, is_shared: isShared });
