import { MAX_ID } from './fields.js';

/** The id that an identifier may be which is an id or a name; null for what can only be a name. Leading zeros make a name. */
export function asId(identifier: string): number | null {
  return /^[1-9]\d{0,9}$/.test(identifier) && Number(identifier) <= MAX_ID ? Number(identifier) : null;
}
