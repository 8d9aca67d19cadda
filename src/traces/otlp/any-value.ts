import type { JsonValue } from '../../platform/json.js';
import { UnreadableBody } from './otlp.errors.js';

/** Lists and objects nested deeper than this are kept as JSON text. */
export const MAX_VALUE_DEPTH = 32;

/** Deeper nesting is not expected in practice. Reading is recursive, and the stack is limited. */
const MAX_READABLE_DEPTH = 500;

/**
 * Reads the list or object at this depth (0 = an attribute's value). Below {@link MAX_VALUE_DEPTH} the whole of it
 * becomes one JSON text: storage gets a bounded depth and nothing is lost.
 */
export function boundedDepth(depth: number, read: (inner: number) => JsonValue): JsonValue {
  if (depth >= MAX_READABLE_DEPTH)
    throw new UnreadableBody(`An attribute nests deeper than ${MAX_READABLE_DEPTH} levels.`);
  const value = read(depth + 1);
  return depth === MAX_VALUE_DEPTH ? JSON.stringify(value) : value;
}

/** JSON has no NaN and no infinities: they are kept by their names. Nor does it keep the sign of zero. */
export function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value + 0 : String(value);
}
