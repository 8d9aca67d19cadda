import type { EntityManager } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';
import { demand } from './demand.js';
import { allows, type Permission } from './permissions.js';
import { Workspace } from './workspace.entity.js';

type Deploying = Extract<Permission, `${string}_DEPLOY`>;

/** The names of the labels that a workspace protects, whatever they are put on. */
export async function readProtectedLabels(tx: EntityManager, workspaceId: number): Promise<string[]> {
  const { protectedLabels } = await tx.findOneByOrFail(Workspace, { id: workspaceId });
  return protectedLabels;
}

export async function writeProtectedLabels(tx: EntityManager, workspaceId: number, names: string[]): Promise<void> {
  await tx.update(Workspace, { id: workspaceId }, { protectedLabels: names });
}

/**
 * Whoever creates, moves or deletes labels needs the permission of what they are on, and another one for those that the workspace
 * protects. Nothing is needed for no labels. Throws permission_missing and label_protected.
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
 * For what is deleted with the labels that are on it. `labelsSql` selects the `name` of those, in the workspace $1 and of the ids $2.
 * Throws label_protected.
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

/** The labels that a caller must leave alone. Labels are found by any way of writing the same letters, so they are compared in one. */
async function protectedFor(tx: EntityManager, caller: Caller): Promise<ReadonlySet<string>> {
  if (allows(caller.roles, 'PROTECTED_LABELS')) return new Set();
  const names = await readProtectedLabels(tx, caller.workspaceId);
  return new Set(names.map((name) => name.normalize()));
}

function refuseAny(names: string[], isProtected: ReadonlySet<string>): void {
  const first = names.find((name) => isProtected.has(name.normalize()));
  if (first !== undefined) throw AccessErrors.label_protected(first);
}
