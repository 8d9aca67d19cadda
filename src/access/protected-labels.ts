import type { EntityManager } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';
import { can, demand } from './demand.js';
import type { Permission } from './roles/permissions.js';
import { Workspace } from './workspace.entity.js';

type Deploying = Extract<Permission, `${string}_DEPLOY`>;

/** The names of the labels that a workspace protects, on any kind of entity. */
export async function readProtectedLabels(tx: EntityManager, workspaceId: number): Promise<string[]> {
  const { protectedLabels } = await tx.findOneByOrFail(Workspace, { id: workspaceId });
  return protectedLabels;
}

export async function writeProtectedLabels(tx: EntityManager, workspaceId: number, names: string[]): Promise<void> {
  await tx.update(Workspace, { id: workspaceId }, { protectedLabels: names });
}

/**
 * Requires the permission of the labelled entity to create, move or delete labels, and another one for labels that the workspace
 * protects. An empty list requires nothing. Throws permission_missing and label_protected.
 */
export async function demandLabels(
  tx: EntityManager,
  caller: Caller,
  permission: Deploying,
  names: string[],
): Promise<void> {
  if (names.length === 0) return;
  demand(caller, permission);
  refuseAny(names, await protectedFor(tx, caller));
}

/**
 * For deletions of labelled entities. `labelsSql` selects the `name` of their labels, for the workspace $1 and the ids $2. Throws
 * label_protected.
 */
export async function demandUnprotected(
  tx: EntityManager,
  caller: Caller,
  labelsSql: string,
  ids: string[],
): Promise<void> {
  const isProtected = await protectedFor(tx, caller);
  if (isProtected.size === 0) return;
  const labels = await tx.query<{ name: string }[]>(labelsSql, [caller.workspaceId, ids]);
  const names = labels.map(({ name }) => name);
  refuseAny(names, isProtected);
}

/**
 * Protected labels that the caller may not change. Labels are found in any spelling of the same letters, so they are compared in
 * one form.
 */
async function protectedFor(tx: EntityManager, caller: Caller): Promise<ReadonlySet<string>> {
  if (can(caller, 'PROTECTED_LABELS')) return new Set();
  const names = await readProtectedLabels(tx, caller.workspaceId);
  return new Set(names.map((name) => name.normalize()));
}

function refuseAny(names: string[], isProtected: ReadonlySet<string>): void {
  const first = names.find((name) => isProtected.has(name.normalize()));
  if (first !== undefined) throw AccessErrors.label_protected(first);
}
