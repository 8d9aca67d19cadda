import type { JsonObject } from '../../platform/json.js';
import type { Filter } from '../protocol/filter.js';
import { matches } from '../protocol/match.js';
import { type Operation, stepsOf, type Step } from '../protocol/patch.js';
import { type Attribute, GROUP } from '../protocol/schemas.js';
import { toAttributes, toValue } from '../protocol/values.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { type StoredMember, toExternalId, toGroupName, toMemberIds } from './group-resource.js';

/** A change of the members of a group: thousands are changed by a few statements. */
export interface MemberChange {
  /** True when members who are not added leave. */
  replaces: boolean;
  added: Set<number>;
  removed: Set<number>;
}

/** Changes of a group; absent fields stay unchanged. */
export interface GroupChange {
  displayName?: string;
  externalId?: string | null;
  members?: MemberChange;
}

/** All attributes of a group from the body of a POST or PUT. Throws scim_value_invalid. */
export function toGroupChange(body: JsonObject): GroupChange & { displayName: string; externalId: string | null } {
  const { displayName, externalId, members } = toAttributes(GROUP.attributes, body);
  return {
    displayName: toGroupName(displayName),
    externalId: toExternalId(externalId),
    members: { replaces: true, added: new Set(toMemberIds(members)), removed: new Set() },
  };
}

/**
 * Folds the operations of a PATCH into one change. `read` returns the present members; it is called for filters about more than the
 * id. Throws the errors of a PATCH.
 */
export async function foldOperations(
  operations: readonly Operation[],
  read: () => Promise<StoredMember[]>,
): Promise<GroupChange> {
  const change: GroupChange = {};
  for (const step of operations.flatMap((operation) => stepsOf(GROUP, operation))) {
    const { attribute } = step.target;
    if (attribute.name === 'members') await foldMembers(change, step, read);
    else if (attribute.name === 'displayName') change.displayName = toGroupName(toValue(attribute, step.value));
    else change.externalId = step.op === 'remove' ? null : toExternalId(toValue(attribute, step.value));
  }
  return change;
}

async function foldMembers(
  change: GroupChange,
  { op, value, target }: Step,
  read: () => Promise<StoredMember[]>,
): Promise<void> {
  const { attribute, filter, text } = target;
  const members = (change.members ??= { replaces: false, added: new Set(), removed: new Set() });
  if (filter !== null) {
    if (op !== 'remove') throw ScimErrors.scim_path_invalid(text);
    remove(members, idsIn(filter as Filter) ?? (await matchingIds(filter as Filter, attribute, members, read)));
    return;
  }
  const ids = toMemberIds(toValue(attribute, value));
  if (op === 'add') add(members, ids);
  // Some providers name the members to remove in the value.
  else if (op === 'remove' && value !== undefined && value !== null) remove(members, ids);
  else change.members = { replaces: true, added: new Set(op === 'remove' ? [] : ids), removed: new Set() };
}

function add({ added, removed }: MemberChange, ids: number[]): void {
  for (const id of ids) {
    added.add(id);
    removed.delete(id);
  }
}

function remove({ added, removed }: MemberChange, ids: number[]): void {
  for (const id of ids) {
    removed.add(id);
    added.delete(id);
  }
}

/** The ids that a filter names; null for one about anything else. */
function idsIn(filter: Filter): number[] | null {
  if (filter.kind === 'or') {
    const parts = filter.parts.map(idsIn);
    return parts.includes(null) ? null : parts.flatMap((ids) => ids!);
  }
  const names = filter.kind === 'compare' && filter.operator === 'eq' && filter.path.toLowerCase() === 'value';
  return names && typeof filter.value === 'string' ? toMemberIds([{ value: filter.value }]) : null;
}

async function matchingIds(
  filter: Filter,
  { subAttributes = [] }: Attribute,
  { replaces, added, removed }: MemberChange,
  read: () => Promise<StoredMember[]>,
): Promise<number[]> {
  const stored = replaces ? [] : (await read()).filter(({ value }) => !removed.has(Number(value)));
  const known = new Set(stored.map(({ value }) => Number(value)));
  const others = [...added].filter((id) => !known.has(id)).map((id) => ({ value: String(id) }));
  const found = [...stored, ...others].filter((each) => matches(filter, { ...each, type: 'User' }, subAttributes));
  return found.map(({ value }) => Number(value));
}
