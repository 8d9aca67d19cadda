import { randomBytes } from 'node:crypto';

const MARK = `${randomBytes(12).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

const stringify = JSON.stringify as (...given: unknown[]) => string | undefined;
/** How many calls are going on: what writes JSON in another way gets the digits as a string. */
let calls = 0;
let written = 0;

/**
 * Makes JSON.stringify write bigints as their digits wherever it is called: by us, by the HTTP server, by the driver of
 * the database. It is what JSON.rawJSON does in newer versions of Node, which Node 20 lacks: a bigint is written as a
 * string that nobody else can know, and the quotes are taken off afterwards.
 */
export function writeBigints(): void {
  Object.defineProperty(BigInt.prototype, 'toJSON', { value: toJSON, writable: true, configurable: true });
  JSON.stringify = stringifyExactly as typeof JSON.stringify;
}

function stringifyExactly(...given: unknown[]): string | undefined {
  const before = written;
  calls++;
  try {
    const json = stringify(...given);
    return written === before ? json : json?.replace(MARKED, '$1');
  } finally {
    calls--;
  }
}

function toJSON(this: bigint): string {
  if (calls === 0) return this.toString();
  written++;
  return MARK + this.toString();
}
