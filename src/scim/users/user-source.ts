import { emailKey } from '../../administration/index.js';
import { MAX_ID } from '../../platform/http/fields.js';
import { type FilterSource, jsonItems, jsonValue, type SqlItems, type SqlValue } from '../protocol/filter-sql.js';
import { type Attribute, USER } from '../protocol/schemas.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The id of a user in a text; empty for other texts. */
export const userKey = (id: string): string => (/^[1-9]\d{0,9}$/.test(id) && Number(id) <= MAX_ID ? id : '');

/** The id of a group in a text; empty for other texts. */
export const groupKey = (id: string): string => (UUID.test(id) ? id.toLowerCase() : '');

/** Attributes with columns of their own. `u` is the row of the user. */
const COLUMNS: Record<string, SqlValue> = {
  id: { sql: 'u.id', type: 'id', key: userKey },
  externalId: { sql: 'u.external_id', type: 'text', caseExact: true },
  userName: { sql: 'u.email_key', type: 'text', key: emailKey },
  displayName: { sql: 'u.name', type: 'text' },
  active: { sql: `(u.status = 'active')`, type: 'boolean' },
  'meta.resourceType': { sql: `'User'::text`, type: 'text', caseExact: true },
  'meta.created': { sql: 'u.created_at', type: 'time' },
  'meta.lastModified': { sql: 'u.updated_at', type: 'time' },
};

const GROUPS: SqlItems = {
  from: `(SELECT g.id, g.display_name FROM user_groups m JOIN scim_groups g ON g.display_name = m.group_name
           WHERE m.user_id = u.id AND m.source = 'scim') AS item`,
  valueOf: ({ name }) => {
    if (name === 'value') return { sql: 'item.id', type: 'id', key: groupKey };
    return name === 'display' ? { sql: 'item.display_name', type: 'text' } : null;
  },
};

/** Not stored, or not for reading. */
const HIDDEN = new Set(['meta', 'password']);

export const USER_SOURCE: FilterSource = {
  type: USER,
  valueOf(chain: readonly Attribute[]) {
    const path = chain.map(({ name }) => name).join('.');
    if (Object.hasOwn(COLUMNS, path)) return COLUMNS[path]!;
    return HIDDEN.has(chain[0]!.name) ? null : jsonValue('u.scim', chain);
  },
  itemsOf: (chain) => (chain[0]!.name === 'groups' ? GROUPS : jsonItems('u.scim', chain)),
};

export const USER_SORTS: Record<string, string> = {
  id: 'u.id',
  externalId: 'u.external_id',
  userName: 'u.email_key',
  displayName: 'u.name',
  'meta.created': 'u.created_at',
  'meta.lastModified': 'u.updated_at',
};
