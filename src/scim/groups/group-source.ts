import type { FilterSource, SqlItems, SqlValue } from '../protocol/filter-sql.js';
import { GROUP } from '../protocol/schemas.js';
import { groupKey, userKey } from '../users/user-source.js';

/** `g` is the row of the group. */
const VALUES: Record<string, SqlValue> = {
  id: { sql: 'g.id', type: 'id', key: groupKey },
  externalId: { sql: 'g.external_id', type: 'text', caseExact: true },
  displayName: { sql: 'g.display_name', type: 'text' },
  'meta.resourceType': { sql: `'Group'::text`, type: 'text', caseExact: true },
  'meta.created': { sql: 'g.created_at', type: 'time' },
  'meta.lastModified': { sql: 'g.updated_at', type: 'time' },
};

const MEMBERS: Record<string, SqlValue> = {
  value: { sql: 'item.id', type: 'id', key: userKey },
  display: { sql: 'item.display', type: 'text' },
  type: { sql: `'User'::text`, type: 'text' },
};

const ITEMS: SqlItems = {
  from: `(SELECT u.id, coalesce(u.name, u.email) AS display FROM user_groups m JOIN users u ON u.id = m.user_id
           WHERE m.source = 'scim' AND m.group_name = g.display_name) AS item`,
  valueOf: ({ name }) => MEMBERS[name] ?? null,
};

export const GROUP_SOURCE: FilterSource = {
  type: GROUP,
  valueOf(chain) {
    const path = chain.map(({ name }) => name).join('.');
    return Object.hasOwn(VALUES, path) ? VALUES[path]! : null;
  },
  itemsOf: () => ITEMS,
};

export const GROUP_SORTS: Record<string, string> = {
  id: 'g.id',
  externalId: 'g.external_id',
  displayName: 'g.display_name',
  'meta.created': 'g.created_at',
  'meta.lastModified': 'g.updated_at',
};
