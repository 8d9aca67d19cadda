import type { EntityManager, EntityTarget } from 'typeorm';
import { type CursorPosition, decodePosition, type ListOrder } from './cursor.js';
import { type Order, readingOrder, toPage } from './list.js';

/** A row of a workspace that is listed by the time it was created. */
export interface CreatedRow {
  workspaceId: number;
  id: string;
  createdAt: Date;
}

/** What a request asks of such a list. */
export interface CreatedPage {
  cursor?: string;
  limit: number;
  order: Order;
}

const orderOf = (order: Order): ListOrder => ({ sort: 'created_at', order });

/** Up to `limit + 1` rows: the extra one tells that there are more. Throws cursor_invalid. */
export function readCreated<Row extends CreatedRow>(
  db: EntityManager,
  entity: EntityTarget<Row>,
  workspaceId: number,
  { cursor, limit, order: wanted }: CreatedPage,
): Promise<Row[]> {
  const position: CursorPosition | null =
    cursor === undefined ? null : decodePosition(orderOf(wanted), cursor, ['timestamp', 'uuid']);
  const order = readingOrder(wanted, position);
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const query = db
    .createQueryBuilder(entity, 'r')
    .where('r.workspaceId = :workspaceId', { workspaceId })
    .orderBy({ 'r.createdAt': direction, 'r.id': direction })
    .take(limit + 1);
  if (position) {
    const [createdAt, id] = position.values;
    query.andWhere(`(r.createdAt, r.id) ${order === 'asc' ? '>' : '<'} (:createdAt, :id)`, { createdAt, id });
  }
  return query.getMany();
}

/** The page of a list that these rows are. */
export function toCreatedPage<Row extends CreatedRow>(rows: Row[], { cursor, limit, order }: CreatedPage) {
  return toPage(rows, { limit, cursor }, orderOf(order), (row) => [row.createdAt.toISOString(), row.id]);
}
