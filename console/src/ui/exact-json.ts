import type { JsonValue } from '../api/schema.gen';

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const { MAX_SAFE_INTEGER: MOST } = Number;

/** Parses JSON. Throws a SyntaxError for other texts, and a RangeError for numbers that a browser would change. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  for (const token of text.match(TEXT_OR_NUMBER) ?? []) if (!token.startsWith('"')) readExactly(token);
  return value;
}

/** Reads a number. Throws a RangeError for one that a browser would change. */
export function readExactly(token: string): number {
  const number = Number(token);
  if (!Number.isFinite(number)) throw new RangeError(`${token} is too large for a number.`);
  if (isRounded(token, number)) {
    throw new RangeError(`${token} would be rounded: integers are exact only between -${MOST} and ${MOST}.`);
  }
  return number;
}

/** Larger integers that keep their digits are accepted: values that were stored before are among them. */
const isRounded = (token: string, number: number): boolean =>
  /^[+-]?\d+$/.test(token) && Math.abs(number) > MOST && String(number) !== token.replace('+', '');

/** Parses JSON. Throws an Error that names the field for a text that is no JSON, or has numbers that a browser would change. */
export function parseField(text: string, field: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new Error(error instanceof RangeError ? `${field}: ${error.message}` : `${field}: this is no valid JSON.`);
  }
}

/** Lists and objects are written as JSON; everything else is the text that it is. */
export function valueOfText(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseExactly(text) as JsonValue;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return text;
  }
}
