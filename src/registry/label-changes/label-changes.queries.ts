import type { EntityManager } from 'typeorm';
import { type Caller, can, findHolders, keyNameOf, type Permission } from '../../access/index.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ListOrder } from '../../platform/http/cursor.js';
import { type Order, startOfPage } from '../../platform/http/list.js';
import { type ChangeState, LabelChange, type LabelledKindName } from './label-change.entity.js';
import { LabelChangeErrors } from './label-changes.errors.js';

/** A request with the names of the keys or members that acted, as they are called now. */
export type ShownLabelChange = LabelChange & { askerName: string | null; deciderName: string | null };

export interface ChangeFilters {
  state?: ChangeState;
  kind?: LabelledKindName;
  itemId?: string;
  label?: string;
}

type Row = LabelChange & Record<'asker' | 'decider', { name: string | null; lastFour: string | null } | null>;

const nameSql = (key: string) =>
  `CASE WHEN ${key}.id IS NOT NULL THEN json_build_object('name', ${key}.name, 'lastFour', ${key}.last_four) END`;

/** The state with expiry, as `stateOf` finds it. */
const STATE = `CASE WHEN c.state = 'open' AND c.expires_at <= now() THEN 'outdated' ELSE c.state END`;

/** Requests `c` of the workspace $1. */
function selectSql(tx: EntityManager): string {
  const { columns } = tx.connection.getMetadata(LabelChange);
  const own = columns.map(({ databaseName, propertyName }) => `c.${databaseName} AS "${propertyName}"`);
  return `SELECT ${own.join(', ')}, ${nameSql('a')} AS asker, ${nameSql('d')} AS decider
            FROM label_changes c
            LEFT JOIN api_keys a ON a.workspace_id = $1 AND a.id = c.asked_by
            LEFT JOIN api_keys d ON d.workspace_id = $1 AND d.id = c.decided_by
           WHERE c.workspace_id = $1`;
}

function toShown({ asker, decider, ...change }: Row): ShownLabelChange {
  return { ...change, askerName: asker && keyNameOf(asker), deciderName: decider && keyNameOf(decider) };
}

export const changeOrder = (order: Order, filters: ChangeFilters): ListOrder => ({
  sort: 'created_at',
  order,
  filters,
});

/** Up to `limit + 1` requests: the extra one shows that there are more. One statement. Throws cursor_invalid. */
export async function listChanges(
  tx: EntityManager,
  { workspaceId }: Caller,
  filters: ChangeFilters,
  page: { cursor?: string; limit: number; order: Order },
): Promise<ShownLabelChange[]> {
  const { order, place } = startOfPage(changeOrder(page.order, filters), page.cursor, 'uuid');
  const parameters = new SqlParameters([workspaceId]);
  const equals = (sql: string, value: unknown) =>
    value === undefined ? [] : [`AND ${sql} = ${parameters.add(value)}::text`];
  const conditions = [
    ...equals(STATE, filters.state),
    ...equals('c.kind', filters.kind),
    ...equals('c.item_id', filters.itemId),
    ...equals('c.label', filters.label),
  ];
  const [createdAt, id] = place.map((value) => parameters.add(value));
  const rows = await tx.query<Row[]>(
    `${selectSql(tx)} ${conditions.join(' ')}
        AND (c.created_at, c.id) ${order === 'asc' ? '>' : '<'} (${createdAt}::timestamptz, ${id}::uuid)
      ORDER BY c.created_at ${order}, c.id ${order} LIMIT ${parameters.add(page.limit + 1)}::integer`,
    parameters.values,
  );
  return rows.map(toShown);
}

/** Throws label_change_not_found. */
export async function getChange(tx: EntityManager, { workspaceId }: Caller, id: string): Promise<ShownLabelChange> {
  const [row] = await tx.query<Row[]>(`${selectSql(tx)} AND c.id = $2`, [workspaceId, id]);
  if (!row) throw LabelChangeErrors.label_change_not_found(id);
  return toShown(row);
}

/** Returns a request, locked until the end of the transaction to serialize decisions. Throws label_change_not_found. */
export async function lockChange(tx: EntityManager, { workspaceId }: Caller, id: string): Promise<LabelChange> {
  const change = await tx.findOne(LabelChange, { where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  if (!change) throw LabelChangeErrors.label_change_not_found(id);
  return change;
}

/**
 * Whether the one who asked could still ask now. For a person the membership counts, whichever key was used; for a service key the
 * key itself, unless it was revoked.
 */
export async function mayAskStill(
  tx: EntityManager,
  { workspaceId, askedBy }: LabelChange,
  permission: Permission,
): Promise<boolean> {
  const [row] = await tx.query<{ id: number | null }[]>(
    `SELECT CASE WHEN k.kind = 'service' THEN k.id ELSE m.id END AS id
       FROM api_keys k
       LEFT JOIN api_keys m
         ON m.workspace_id = $1 AND m.user_id = k.user_id AND m.kind = 'member' AND m.revoked_at IS NULL
      WHERE k.workspace_id = $1 AND k.id = $2`,
    [workspaceId, askedBy],
  );
  if (!row || row.id === null) return false;
  const holder = (await findHolders(tx, [row.id])).get(row.id);
  return holder !== undefined && can(holder.caller, permission);
}
