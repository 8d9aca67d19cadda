import type { JsonValue } from '../../platform/json.js';

/** The text of any value: strings as they are, null as nothing, everything else as JSON. */
export function asText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
