import { ApiProperty } from '@nestjs/swagger';
import { type CursorValue, encodeCursor, type ListOrder } from './cursor.js';
import { EnumField, IntegerField, TextField } from './fields.js';

const ORDERS = ['asc', 'desc'] as const;
export type Order = (typeof ORDERS)[number];

/** Query parameters of every cursor-paged list. */
export class CursorQuery {
  @TextField({ optional: true, query: true, maxLength: 4000, description: '`next_cursor` of the page before.' })
  cursor?: string;
}

export const LimitField = (fallback: number) =>
  IntegerField({ optional: true, query: true, min: 1, max: 100, default: fallback, description: 'Items per page.' });

export const OrderField = (fallback: Order) => EnumField(ORDERS, { optional: true, query: true, default: fallback });

export class PagePosition {
  @TextField({ nullable: true })
  next_cursor: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Reserved; always null.' })
  prev_cursor: null;

  @ApiProperty()
  has_more: boolean;

  @IntegerField()
  limit: number;
}

/** What every list answers besides its `data`: two generations of clients read different fields. */
export class ListEnvelope {
  @ApiProperty({ example: true })
  success: true;

  @TextField({ nullable: true, description: 'Pass it as `cursor` to get the next page; null on the last page.' })
  next_cursor: string | null;

  @ApiProperty()
  has_more: boolean;

  @ApiProperty({ type: () => PagePosition })
  pagination: PagePosition;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The filters in force.' })
  filters: Record<string, unknown>;

  @IntegerField({ description: 'Items on this page.' })
  count: number;
}

/**
 * Wraps a page. `items` holds up to `limit + 1` rows: the extra one only tells that there are more.
 * `keyOf` gives the sort values of an item for the cursor.
 */
export function toPage<T>(items: T[], limit: number, list: ListOrder, keyOf: (item: T) => CursorValue[]) {
  const data = items.slice(0, limit);
  const hasMore = items.length > limit;
  const nextCursor = hasMore ? encodeCursor(list, keyOf(data[data.length - 1]!)) : null;
  return { data, ...listEnvelope({ count: data.length, limit, nextCursor, filters: list.filters }) };
}

export function listEnvelope(page: {
  count: number;
  limit: number;
  nextCursor: string | null;
  filters?: object;
}): ListEnvelope {
  const { count, limit, nextCursor, filters = {} } = page;
  const position = { next_cursor: nextCursor, has_more: nextCursor !== null };
  return {
    success: true,
    ...position,
    pagination: { ...position, prev_cursor: null, limit },
    filters: inForce(filters),
    count,
  };
}

/** Under the names of the wire. */
function inForce(filters: object): Record<string, unknown> {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const named = given.map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]);
  return Object.fromEntries(named) as Record<string, unknown>;
}
