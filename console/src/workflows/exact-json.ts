const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const { MAX_SAFE_INTEGER: MOST } = Number;

/** Parses JSON. Throws a SyntaxError for other texts, and a RangeError for integers that a browser would round. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const rounded = text.match(TEXT_OR_NUMBER)?.find(isRounded);
  if (rounded !== undefined) {
    throw new RangeError(`${rounded} would be rounded: integers are exact only between -${MOST} and ${MOST}.`);
  }
  return value;
}

/** Larger integers that keep their digits are accepted: values that were stored before are among them. */
function isRounded(token: string): boolean {
  const number = Number(token);
  return /^-?\d+$/.test(token) && Math.abs(number) > MOST && String(number) !== token;
}
