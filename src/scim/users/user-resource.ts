import type { User } from '../../access/index.js';
import type { UserChange } from '../../administration/index.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { USER } from '../protocol/schemas.js';
import { versionOf } from '../protocol/versions.js';
import { ScimErrors } from '../shared/scim.errors.js';

/** A user with the groups that the identity provider puts it in. */
export type ScimUser = Pick<User, 'id' | 'email' | 'name' | 'status' | 'externalId' | 'createdAt' | 'updatedAt'> & {
  scim: JsonObject | null;
  groups: { value: string; display: string }[];
};

export type UserResource = JsonObject & { meta: { version: string; location: string } };

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const LONGEST_EMAIL = 320;
const LONGEST_NAME = 255;
const LONGEST_EXTERNAL_ID = 1024;
/** Bytes of the attributes without columns of their own. */
const MOST_BYTES = 64 * 1024;

/** Attributes with columns of their own. A password is accepted and not stored: people sign in at their provider. */
const NOT_IN_JSON = ['userName', 'displayName', 'active', 'externalId', 'password'];

/** The attributes of a user that a provider can change. */
export function writableOf({ email, name, status, externalId, scim }: ScimUser): JsonObject {
  return {
    ...scim,
    userName: email,
    active: status === 'active',
    ...(name !== null && { displayName: name }),
    ...(externalId !== null && { externalId }),
  };
}

/** A user as providers read one. `base` is the URL of `/scim/v2`. */
export function toUserResource(user: ScimUser, base: string): UserResource {
  const { id, createdAt, updatedAt } = user;
  const content = { ...writableOf(user), ...groupsOf(user, '') };
  const extensions = USER.extensions.map((each) => each.id).filter((urn) => urn in content);
  const meta = {
    resourceType: USER.name,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: `${base}/Users/${id}`,
    version: versionOf(content),
  };
  return { schemas: [USER.core.id, ...extensions], id: String(id), ...content, ...groupsOf(user, base), meta };
}

function groupsOf({ groups }: ScimUser, base: string): JsonObject {
  if (groups.length === 0) return {};
  return {
    groups: groups.map((group) => ({ ...group, $ref: `${base}/Groups/${group.value}`, type: 'direct' })),
  };
}

/** The columns of a user with these attributes. Throws scim_value_invalid. */
export function toUserColumns(attributes: JsonObject): Required<UserChange> {
  const { userName, displayName, active, externalId = null } = attributes;
  const email = toEmail(userName);
  const name = toName(displayName, attributes.name);
  requireLength('externalId', externalId, LONGEST_EXTERNAL_ID);
  const others = Object.entries(attributes).filter(([key]) => !NOT_IN_JSON.includes(key));
  const scim = others.length === 0 ? null : (Object.fromEntries(others) as JsonObject);
  if (Buffer.byteLength(JSON.stringify(scim)) > MOST_BYTES) {
    throw ScimErrors.scim_value_invalid('name, emails and others', `have together at most ${MOST_BYTES} bytes`);
  }
  return { email, name, status: active === false ? 'disabled' : 'active', externalId: externalId as string, scim };
}

/** The name that the parts of a name make; null without parts. */
export function fullName(name: JsonValue | undefined): string | null {
  const { formatted, givenName, middleName, familyName } = (name ?? {}) as Record<string, string | undefined>;
  const parts = [givenName, middleName, familyName].filter(Boolean).join(' ');
  return (formatted?.trim() || parts.trim()).slice(0, LONGEST_NAME).toWellFormed() || null;
}

function toEmail(userName: JsonValue | undefined): string {
  const email = typeof userName === 'string' ? userName.trim() : '';
  if (email.length > LONGEST_EMAIL || !EMAIL.test(email)) {
    throw ScimErrors.scim_value_invalid('userName', `is required and should be an e-mail address`);
  }
  return email;
}

function toName(displayName: JsonValue | undefined, name: JsonValue | undefined): string | null {
  requireLength('displayName', displayName, LONGEST_NAME);
  return ((displayName as string | undefined)?.trim() || fullName(name)) ?? null;
}

function requireLength(attribute: string, value: JsonValue | undefined, most: number): void {
  if (typeof value === 'string' && value.length > most) {
    throw ScimErrors.scim_value_invalid(attribute, `has at most ${most} characters`);
  }
}
