import type { ColumnBody } from '../api/schema.gen';
import { readExactly } from '../ui/exact-json';

/**
 * The stored value of a typed or pasted text: a number when the column asks people for one. Other texts stay texts, so
 * that the server explains the required format. Throws a RangeError for a number that a browser would change.
 */
export function answerOf(
  column: Pick<ColumnBody, 'type' | 'config'> | undefined,
  text: string | null,
): string | number | null {
  if (text === null || column?.type !== 'HUMAN' || !asksForNumber(column.config)) return text;
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return NUMBER.test(trimmed) ? readExactly(trimmed) : text;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Earlier configs have `input_type` instead of `data_type`. */
const asksForNumber = ({ data_type: type, input_type: earlier }: Record<string, unknown>): boolean =>
  type === 'number' || earlier === 'numeric' || earlier === 'number';
