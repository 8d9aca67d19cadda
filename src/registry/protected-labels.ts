import type { EntityManager } from 'typeorm';
import {
  AccessErrors,
  type Caller,
  can,
  demand,
  type LabelRules,
  type Permission,
  readLabelRules,
} from '../access/index.js';
import type { Problem } from '../platform/errors/problem.js';

export type Deploying = Extract<Permission, `${string}_DEPLOY`>;

/**
 * Labels that may be changed now. Functions that write labels take one, and only this file makes them, so that the compiler refuses
 * a path without a check.
 */
class Clearance {
  protected readonly isChecked = true;
  constructor(readonly names: readonly string[]) {}
}
export type ClearedLabels = Clearance;

export const NO_LABELS: ClearedLabels = new Clearance([]);

/** For a change that a second person has approved. `label-changes` checks who. */
export const clearApproved = (name: string): ClearedLabels => new Clearance([name]);

type Refusal = (label: string) => Problem;

/**
 * Requires the permission of the labelled entity to create, move or delete labels, and another one for labels that the workspace
 * protects. An empty list requires nothing. Throws permission_missing, label_protected and, for labels that need an approval,
 * `unapproved`.
 */
export async function demandLabels(
  tx: EntityManager,
  caller: Caller,
  permission: Deploying,
  names: string[],
  unapproved: Refusal = AccessErrors.approval_needed,
): Promise<ClearedLabels> {
  if (names.length === 0) return NO_LABELS;
  demand(caller, permission);
  refuseAny(caller, names, await readLabelRules(tx, caller.workspaceId), unapproved);
  return new Clearance(names);
}

/** The same for a change that leaves the label where it is. It needs no approval. */
export async function demandProtected(
  tx: EntityManager,
  caller: Caller,
  permission: Deploying,
  name: string,
): Promise<void> {
  demand(caller, permission);
  const { protectedLabels } = await readLabelRules(tx, caller.workspaceId);
  refuseAny(caller, [name], { protectedLabels, approvalLabels: [] }, AccessErrors.approval_needed);
}

/**
 * For deletions of labelled entities. `labelsSql` selects the `name` of their labels, for the workspace $1 and the ids $2. Throws
 * label_protected and approval_needed.
 */
export async function demandUnprotected(
  tx: EntityManager,
  caller: Caller,
  labelsSql: string,
  ids: string[],
): Promise<void> {
  const rules = await readLabelRules(tx, caller.workspaceId);
  if (rules.protectedLabels.length === 0) return;
  const labels = await tx.query<{ name: string }[]>(labelsSql, [caller.workspaceId, ids]);
  const names = labels.map(({ name }) => name);
  refuseAny(caller, names, rules, AccessErrors.approval_needed);
}

/** Whether changes of a label need an approval. Labels are found in any spelling of the same letters, so one form is compared. */
export function needsApproval({ approvalLabels }: LabelRules, name: string): boolean {
  return isAmong(approvalLabels)(name);
}

/** An approval is asked for first: it is also the way for callers without the permission. */
function refuseAny(caller: Caller, names: string[], rules: LabelRules, unapproved: Refusal): void {
  const waiting = names.find(isAmong(rules.approvalLabels));
  if (waiting !== undefined) throw unapproved(waiting);
  if (can(caller, 'PROTECTED_LABELS')) return;
  const first = names.find(isAmong(rules.protectedLabels));
  if (first !== undefined) throw AccessErrors.label_protected(first);
}

function isAmong(listed: string[]): (name: string) => boolean {
  const known = new Set(listed.map((name) => name.normalize()));
  return (name) => known.has(name.normalize());
}
