import type { EntityManager, EntityTarget, FindOptionsWhere } from 'typeorm';
import { type CursorPosition, decodePosition, type ListOrder } from './cursor.js';
import { type Order, readingOrder, toPage } from './list.js';

/** A row of a workspace that is listed by the time it was created. */
export interface CreatedRow {
  workspaceId: number;
  id: string;
  createdAt: Date;
}

/** Parameters of such a list. */
export interface CreatedPage {
  cursor?: string;
  limit: number;
  order: Order;
  /** Names the list where there are several in a workspace: a cursor of another one is refused. */
  filters?: object;
}

const orderOf = ({ order, filters }: CreatedPage): ListOrder => ({ sort: 'created_at', order, filters });

type Where<Row> = FindOptionsWhere<Row> & { workspaceId: number };

/**
 * Up to `limit + 1` rows: the extra one shows that there are more. Of several conditions one must hold. Throws cursor_invalid.
 */
export function readCreated<Row extends CreatedRow>(
  db: EntityManager,
  entity: EntityTarget<Row>,
  where: Where<Row> | Where<Row>[],
  page: CreatedPage,
): Promise<Row[]> {
  const { cursor, limit } = page;
  const position: CursorPosition | null =
    cursor === undefined ? null : decodePosition(orderOf(page), cursor, ['timestamp', 'uuid']);
  const order = readingOrder(page.order, position);
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const query = db
    .createQueryBuilder(entity, 'r')
    .where(where)
    .orderBy({ 'r.createdAt': direction, 'r.id': direction })
    .take(limit + 1);
  if (position) {
    const [createdAt, id] = position.values;
    query.andWhere(`(r.createdAt, r.id) ${order === 'asc' ? '>' : '<'} (:createdAt, :id)`, { createdAt, id });
  }
  return query.getMany();
}

/** The page of a list with these rows. */
export function toCreatedPage<Row extends CreatedRow>(rows: Row[], page: CreatedPage) {
  return toPage(rows, page, orderOf(page), (row) => [row.createdAt.toISOString(), row.id]);
}
