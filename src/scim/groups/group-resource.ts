import { LONGEST_GROUP_NAME } from '../../administration/index.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { GROUP } from '../protocol/schemas.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { userKey } from '../users/user-source.js';
import type { ScimGroup } from './scim-group.entity.js';

/** A stored member. */
export interface StoredMember {
  value: string;
  display: string;
}

/** A group with the number of its members; with the members themselves where they were asked for. */
export type ReadGroup = ScimGroup & { memberCount: number; members: StoredMember[] | null };

export type GroupResource = JsonObject & { meta: { version: string; location: string } };

const LONGEST_EXTERNAL_ID = 1024;

/** A user who is deleted leaves groups without a change of them, so the number of members is part of the version. */
export const versionOfGroup = ({ version, memberCount }: ReadGroup): string => `W/"${version}.${memberCount}"`;

/** A group as providers read one. `base` is the URL of `/scim/v2`. */
export function toGroupResource(group: ReadGroup, base: string): GroupResource {
  const { id, displayName, externalId, members, createdAt, updatedAt } = group;
  const shown = members?.map((member) => ({ ...member, $ref: `${base}/Users/${member.value}`, type: 'User' })) ?? [];
  const meta = {
    resourceType: GROUP.name,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: `${base}/Groups/${id}`,
    version: versionOfGroup(group),
  };
  return {
    schemas: [GROUP.core.id],
    id,
    displayName,
    ...(externalId !== null && { externalId }),
    ...(shown.length > 0 && { members: shown }),
    meta,
  };
}

/** Names are kept exactly: rules of the operator name groups by them. Throws scim_value_invalid. */
export function toGroupName(value: JsonValue | undefined): string {
  const isName = typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_GROUP_NAME;
  if (isName) return value;
  throw ScimErrors.scim_value_invalid('displayName', `is required and has at most ${LONGEST_GROUP_NAME} characters`);
}

/** Throws scim_value_invalid. */
export function toExternalId(value: JsonValue | undefined): string | null {
  if (typeof value === 'string' && value.length > LONGEST_EXTERNAL_ID) {
    throw ScimErrors.scim_value_invalid('externalId', `has at most ${LONGEST_EXTERNAL_ID} characters`);
  }
  return (value as string | undefined) || null;
}

/** The ids of users in a list of members. Texts that are no ids of users are left out. Throws scim_value_invalid for groups in groups. */
export function toMemberIds(members: JsonValue | undefined): number[] {
  const ids = ((members ?? []) as JsonObject[]).map(({ value, type }) => {
    if (typeof value !== 'string') throw ScimErrors.scim_value_invalid('members', 'should have a value in each item');
    if (type !== undefined && String(type).toLowerCase() !== 'user') {
      throw ScimErrors.scim_value_invalid('members', 'can only be users: groups in groups are not supported');
    }
    return userKey(value);
  });
  return [...new Set(ids.filter((id) => id !== ''))].map(Number);
}
