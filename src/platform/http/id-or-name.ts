import { MAX_ID } from './fields.js';

/** How callers name a thing that has an id and a name: a text may be either, and of digits that are both the id counts. */
export type IdOrName = string | { id: number } | { name: string };

/** What an identifier may mean, what counts more first. */
export function meaningsOf(identifier: IdOrName): ({ id: number } | { name: string })[] {
  if (typeof identifier !== 'string') return [identifier];
  const id = asId(identifier);
  return id === null ? [{ name: identifier }] : [{ id }, { name: identifier }];
}

/** How messages show it. */
export function shownIdentifier(identifier: IdOrName): string | number {
  return typeof identifier === 'string' ? identifier : Object.values(identifier)[0]!;
}

/** Leading zeros make a name. */
function asId(text: string): number | null {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : null;
}
