import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  type CursorPosition,
  type CursorValue,
  decodePosition,
  encodeBackwardCursor,
  encodeCursor,
  isBackward,
  type ListOrder,
} from './cursor.js';
import { SuccessField } from './common-fields.js';
import { EnumField, IntegerField, TextField } from './fields.js';

const ORDERS = ['asc', 'desc'] as const;
export type Order = (typeof ORDERS)[number];

export const CursorField = () =>
  TextField({
    optional: true,
    query: true,
    maxLength: 4000,
    description: 'The `next_cursor` or `prev_cursor` of another page.',
  });

/** Query parameters of every cursor-paged list. */
export class CursorQuery {
  @CursorField()
  cursor?: string;
}

export const LimitField = (fallback: number) =>
  IntegerField({ optional: true, query: true, min: 1, max: 100, default: fallback, description: 'Items per page.' });

export const OrderField = (fallback: Order) =>
  EnumField(ORDERS, {
    optional: true,
    query: true,
    default: fallback,
    description: '`desc` lists the newest first, `asc` the oldest.',
  });

export const NextCursorField = (): PropertyDecorator =>
  TextField({ nullable: true, description: 'Pass it as `cursor` to get the next page; null on the last page.' });

export class PagePosition {
  @NextCursorField()
  next_cursor: string | null;

  @TextField({ nullable: true, description: 'Pass it as `cursor` to get the page before; null on the first page.' })
  prev_cursor: string | null;

  @ApiProperty({ description: 'Whether another page follows.' })
  has_more: boolean;

  @IntegerField({ description: 'The number of items that a page has at most.' })
  limit: number;
}

export const PaginationField = (): PropertyDecorator =>
  ApiProperty({
    type: () => PagePosition,
    description: 'The same position in the form that newer clients read, with the cursor of the page before.',
  });

@ApiSchema({ description: 'The filters that were applied, by their names in the request.' })
export class AppliedFilters {
  [name: string]: unknown;
}

/** Fields of every list besides its `data`: two generations of clients read different fields. */
export class ListEnvelope {
  @SuccessField()
  success: true;

  @NextCursorField()
  next_cursor: string | null;

  @ApiProperty({ description: 'Whether another page follows.' })
  has_more: boolean;

  @PaginationField()
  pagination: PagePosition;

  @ApiProperty({
    type: () => AppliedFilters,
    description: 'The filters that were applied, by their names in the request. Empty when there were none.',
  })
  filters: AppliedFilters;

  @IntegerField({ description: 'The number of items on this page.' })
  count: number;
}

/** The order in which items next to a position are read: a page before a position is read from its end. */
export function readingOrder(order: Order, position: CursorPosition | null): Order {
  if (!position?.isBackward) return order;
  return order === 'asc' ? 'desc' : 'asc';
}

/** The start of a page of a list by time and id, and its reading order. */
export interface PageStart {
  order: Order;
  /** The time and the id after which it begins. Without a cursor they come before all items. */
  place: CursorValue[];
}

const LEAST_ID = { uuid: '00000000-0000-0000-0000-000000000000', text: '' };

/** Throws cursor_invalid. */
export function startOfPage(list: ListOrder, cursor: string | undefined, id: keyof typeof LEAST_ID): PageStart {
  const position = cursor === undefined ? null : decodePosition(list, cursor, ['timestamp', id]);
  const order = readingOrder(list.order, position);
  return { order, place: position?.values ?? [order === 'asc' ? '-infinity' : 'infinity', LEAST_ID[id]] };
}

interface PageRequest {
  limit: number;
  cursor?: string;
  /** Number of items on the page; default: as many as fit. */
  shown?: number;
  /** Whether more items follow; default: whether there are extra items. */
  hasMore?: boolean;
}

/**
 * Wraps a page. `items` has up to `limit + 1` rows in reading order: the extra one only shows that there are more. `keyOf` gives
 * the sort values of an item for the cursors.
 */
export function toPage<T>(items: T[], page: PageRequest, list: ListOrder, keyOf: (item: T) => CursorValue[]) {
  const data = items.slice(0, page.shown ?? page.limit);
  if (readsBackward(page)) data.reverse();
  return { data, ...pageEnvelope(items, page, list, keyOf) };
}

/** The same without the items. */
export function pageEnvelope<T>(
  items: T[],
  page: PageRequest,
  list: ListOrder,
  keyOf: (item: T) => CursorValue[],
): ListEnvelope {
  const { limit, cursor, shown = limit, hasMore = items.length > shown } = page;
  const data = items.slice(0, shown);
  const backward = readsBackward(page);
  if (backward) data.reverse();
  const [first, last] = [data[0], data.at(-1)];
  // A client that pages backward has seen the following items.
  const nextCursor = last && (hasMore || backward) ? encodeCursor(list, keyOf(last)) : null;
  const prevCursor = first && (backward ? hasMore : Boolean(cursor)) ? encodeBackwardCursor(list, keyOf(first)) : null;
  return listEnvelope({ count: data.length, limit, nextCursor, prevCursor, filters: list.filters });
}

const readsBackward = ({ cursor }: PageRequest): boolean => cursor !== undefined && cursor !== '' && isBackward(cursor);

export function listEnvelope(page: {
  count: number;
  limit: number;
  nextCursor: string | null;
  prevCursor?: string | null;
  filters?: object;
}): ListEnvelope {
  const { count, limit, nextCursor, prevCursor = null, filters = {} } = page;
  const position = { next_cursor: nextCursor, has_more: nextCursor !== null };
  return {
    success: true,
    ...position,
    pagination: { ...position, prev_cursor: prevCursor, limit },
    filters: inForce(filters),
    count,
  };
}

/** With the names of the API. */
function inForce(filters: object): AppliedFilters {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const named = given.map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]);
  return Object.fromEntries(named) as AppliedFilters;
}
