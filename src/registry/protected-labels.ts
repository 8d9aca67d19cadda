import type { EntityManager } from 'typeorm';
import { AccessErrors, type Caller, can, demand, type Permission } from '../access/index.js';
import { type LabelRules, readLabelRules } from './label-rules.js';

export type Deploying = Extract<Permission, `${string}_DEPLOY`>;

/**
 * Labels that may be changed now. Functions that write labels need a clearance, and only this file creates them, so code without
 * the check does not compile.
 */
class Clearance {
  protected readonly isChecked = true;
  constructor(readonly names: readonly string[]) {}
}
export type ClearedLabels = Clearance;

export const NO_LABELS: ClearedLabels = new Clearance([]);

/** Refusals of a change of release labels. */
export const LABEL_REFUSALS = [
  AccessErrors.permission_missing,
  AccessErrors.label_protected,
  AccessErrors.approval_needed,
];

/** For a change that a second person has approved. `label-changes` checks who. */
export const clearApproved = (name: string): ClearedLabels => new Clearance([name]);

/**
 * Requires the permission of the labelled entity to create, move or delete labels, and another one for labels that the workspace
 * protects. An empty list requires nothing. Throws permission_missing, label_protected and approval_needed.
 */
export async function demandLabels(
  tx: EntityManager,
  caller: Caller,
  permission: Deploying,
  names: string[],
): Promise<ClearedLabels> {
  if (names.length === 0) return NO_LABELS;
  demand(caller, permission);
  refuseAny(caller, names, await readLabelRules(tx, caller.workspaceId));
  return new Clearance(names);
}

/** Checks the permission and protected labels, for changes that approvals cannot cover. */
export async function demandProtected(
  tx: EntityManager,
  caller: Caller,
  permission: Deploying,
  name: string,
): Promise<void> {
  demand(caller, permission);
  const { protectedLabels } = await readLabelRules(tx, caller.workspaceId);
  refuseAny(caller, [name], { protectedLabels, approvalLabels: [] });
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
  refuseAny(caller, names, rules);
}

/** Whether changes of a label need an approval. Labels are found in any spelling of the same letters, so one form is compared. */
export function needsApproval({ approvalLabels }: LabelRules, name: string): boolean {
  return isAmong(approvalLabels)(name);
}

/** An approval is asked for first: it is also the way for callers without the permission. */
function refuseAny(caller: Caller, names: string[], rules: LabelRules): void {
  const waiting = names.find(isAmong(rules.approvalLabels));
  if (waiting !== undefined) throw AccessErrors.approval_needed(waiting);
  if (can(caller, 'PROTECTED_LABELS')) return;
  const first = names.find(isAmong(rules.protectedLabels));
  if (first !== undefined) throw AccessErrors.label_protected(first);
}

function isAmong(listed: string[]): (name: string) => boolean {
  const known = new Set(listed.map((name) => name.normalize()));
  return (name) => known.has(name.normalize());
}
