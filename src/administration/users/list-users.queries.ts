import type { EntityManager } from 'typeorm';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import { emailKey } from './email-key.js';
import { User } from '../../access/index.js';

export interface UserFilters {
  /** The start of the address, in any letter case. */
  emailPrefix?: string;
  status?: User['status'];
}

export interface UserPage {
  cursor?: string;
  limit: number;
  order: Order;
}

export const userOrder = (order: Order, filters: UserFilters): ListOrder => ({ sort: 'id', order, filters });

/** Up to `limit + 1` users in the order of their ids. Throws cursor_invalid. */
export function listUsers(
  db: EntityManager,
  filters: UserFilters,
  { cursor, limit, order: asked }: UserPage,
): Promise<User[]> {
  const position = cursor ? decodePosition(userOrder(asked, filters), cursor, ['number']) : null;
  const order = readingOrder(asked, position);
  const query = db
    .createQueryBuilder(User, 'u')
    .orderBy('u.id', order === 'asc' ? 'ASC' : 'DESC')
    .limit(limit + 1);
  const { emailPrefix, status } = filters;
  if (emailPrefix !== undefined) query.andWhere('u.email_key ^@ :prefix::text', { prefix: emailKey(emailPrefix) });
  if (status !== undefined) query.andWhere('u.status = :status', { status });
  if (position) query.andWhere(`u.id ${order === 'asc' ? '>' : '<'} :after::bigint`, { after: position.values[0] });
  return query.getMany();
}
