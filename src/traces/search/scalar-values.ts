import { scalarText } from '../../platform/json-paths.js';
import { type JsonValue } from '../../platform/json.js';

/** The texts of an attribute's value that filters compare: its own, or those in its list. Objects have none here. */
export function scalarsOf(value: JsonValue): string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => (item === null || typeof item === 'object' ? [] : [scalarText(item)]));
}
