import type { ColumnBody } from '../api/schema.gen';

/**
 * The stored value of a text that somebody typed or pasted: a number where a column asks people for one. Other texts stay texts,
 * so that the server says what it should be.
 */
export function answerOf(
  column: Pick<ColumnBody, 'type' | 'config'> | undefined,
  text: string | null,
): string | number | null {
  if (text === null || column?.type !== 'HUMAN' || !asksForNumber(column.config)) return text;
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return NUMBER.test(trimmed) ? Number(trimmed) : text;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Earlier configs have `input_type` in the place of `data_type`. */
const asksForNumber = ({ data_type: type, input_type: earlier }: Record<string, unknown>): boolean =>
  type === 'number' || earlier === 'numeric' || earlier === 'number';
