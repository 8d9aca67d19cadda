import { MAX_ID } from './fields.js';

/** A resource by id or name: a text may be either, and for digits that are both, the id takes precedence. */
export type IdOrName = string | { id: number } | { name: string };

/** Possible meanings of an identifier, by precedence. */
export function meaningsOf(identifier: IdOrName): ({ id: number } | { name: string })[] {
  if (typeof identifier !== 'string') return [identifier];
  const id = asId(identifier);
  return id === null ? [{ name: identifier }] : [{ id }, { name: identifier }];
}

/** The identifier in messages. */
export function shownIdentifier(identifier: IdOrName): string | number {
  return typeof identifier === 'string' ? identifier : Object.values(identifier)[0]!;
}

/** Digits with leading zeros are a name. */
function asId(text: string): number | null {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : null;
}
