import { parseExactly } from '../../platform/exact-integers.js';
import { flatten, scalarText } from '../../platform/json-paths.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import type { JsonValue } from '../../platform/json.js';
import { mayHoldUnsafeText, safeJson } from '../../platform/safe-text.js';

const LONGEST_JSON = 65_536;
const JSON_LIMITS = { depth: 20, containers: 1000 };
/** Each of these becomes an entry of an index. */
const LIMITS = { paths: 500, values: 500 };

/** Values inside a metadata value. */
export interface NestedMetadata {
  /** Full paths, beginning with the key. */
  paths: string[];
  values: [path: string, text: string][];
}

const NOTHING: NestedMetadata = { paths: [], values: [] };

/**
 * The values inside a metadata value that is an object or a list written as JSON: metadata are texts, and what clients
 * nest in them arrives as JSON. The first 500 values of a text of up to 64 KB count.
 */
export function nestedMetadata(key: string, text: string): NestedMetadata {
  const first = text.charCodeAt(0);
  // "{" and "["
  if ((first !== 0x7b && first !== 0x5b) || text.length > LONGEST_JSON || !fitsJsonLimits(text, JSON_LIMITS)) {
    return NOTHING;
  }
  const parsed = parse(text);
  if (parsed === undefined) return NOTHING;
  const { paths, values } = flatten(parsed, LIMITS, key);
  return {
    paths: [...paths],
    values: values.flatMap(([path, value]) => (value === null ? [] : [[path, scalarText(value)]])),
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    const value = parseExactly(text) as JsonValue;
    return mayHoldUnsafeText(text) ? safeJson(value) : value;
  } catch {
    return undefined;
  }
}
