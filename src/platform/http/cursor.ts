import { createHash } from 'node:crypto';
import { readJson } from '../read-json.js';
import { isSafe } from '../safe-text.js';
import { PlatformErrors } from '../errors/platform.errors.js';

export type CursorValue = string | number | null;

type CursorKind = 'number' | 'float' | 'text' | 'timestamp' | 'moment' | 'uuid';

/**
 * The type of a sort value: it goes into SQL, so it must fit the column. A `number` is whole; a `timestamp` has milliseconds, a
 * `moment` the microseconds of the database.
 */
export type CursorShape = CursorKind | `${CursorKind} or null`;

const MOMENT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const KINDS: Record<CursorKind, (value: unknown) => boolean> = {
  number: (value) => Number.isSafeInteger(value),
  float: (value) => Number.isFinite(value),
  text: (value) => typeof value === 'string' && value.length <= 1000 && isSafe(value),
  timestamp: (value) => typeof value === 'string' && isIso(value),
  moment: (value) => typeof value === 'string' && MOMENT.test(value) && isIso(`${value.slice(0, -4)}Z`),
  uuid: (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
};

/** Accepts only the format of Date: other forms and invalid days were not made here. */
function isIso(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

export interface ListOrder {
  sort: string;
  order: 'asc' | 'desc';
  /** The filters that select the items of the list. */
  filters?: object;
}

/**
 * Keyset cursors, opaque to callers. They contain the sort field, the direction, a digest of the filters and the sort values of
 * the last item, so that a cursor of another list is refused.
 */
export function encodeCursor(list: ListOrder, last: CursorValue[]): string {
  return Buffer.from(JSON.stringify([list.sort, list.order, digest(list.filters), last])).toString('base64url');
}

/** The same for a page that ends before an item. */
export function encodeBackwardCursor(list: ListOrder, first: CursorValue[]): string {
  const parts = [list.sort, list.order, digest(list.filters), first, BACKWARD];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

const BACKWARD = 'before';

/** The position at which a page of a list begins, or ends when it is read backward. */
export interface CursorPosition {
  /** The sort values of the item beside the page. */
  values: CursorValue[];
  isBackward: boolean;
}

/** The sort values of the item to continue after. Throws cursor_invalid unless it was made for this very list. */
export function decodeCursor(list: ListOrder, cursor: string, shape: readonly CursorShape[]): CursorValue[] {
  const { values, isBackward } = decodePosition(list, cursor, shape);
  if (isBackward) throw PlatformErrors.cursor_invalid();
  return values;
}

/** The same for lists that can be read in both directions. */
export function decodePosition(list: ListOrder, cursor: string, shape: readonly CursorShape[]): CursorPosition {
  const [sort, order, filters, values, direction] = parts(cursor);
  const fits =
    sort === list.sort && order === list.order && filters === digest(list.filters) && hasShape(values, shape);
  if (!fits || (direction !== undefined && direction !== BACKWARD)) throw PlatformErrors.cursor_invalid();
  return { values: values as CursorValue[], isBackward: direction === BACKWARD };
}

/** Whether a cursor, which must be valid, ends a page instead of beginning one. */
export const isBackward = (cursor: string): boolean => parts(cursor)[4] === BACKWARD;

function parts(cursor: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = readJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw PlatformErrors.cursor_invalid();
  }
  if (!Array.isArray(parsed)) return [];
  const [sort, order, filters, values, ...rest]: unknown[] = parsed;
  return [sort, order, filters, Array.isArray(values) ? values.map(asWritten) : values, ...rest];
}

/** A sort value is never a bigint: whole numbers that are read as one were numbers before. */
const asWritten = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

function hasShape(values: unknown, shape: readonly CursorShape[]): boolean {
  if (!Array.isArray(values) || values.length !== shape.length) return false;
  return values.every((value, index) => {
    const [kind, orNull] = shape[index].split(' or ') as [CursorKind, string?];
    return (value === null && orNull !== undefined) || KINDS[kind](value);
  });
}

function digest(filters: object = {}): string {
  const present = Object.entries(filters).filter(([, value]) => value !== undefined);
  const canonical = JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(canonical).digest('base64url').slice(0, 16);
}
