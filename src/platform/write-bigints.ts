import { randomBytes } from 'node:crypto';

const MARK = `${randomBytes(12).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

const stringify = JSON.stringify as (...given: unknown[]) => string | undefined;
/** Number of active calls: other code that writes JSON during a call gets the digits as a string. */
let calls = 0;
let written = 0;

/**
 * Makes every JSON.stringify write bigints as digits: ours, and those of the HTTP server and the database driver. Newer
 * versions of Node have JSON.rawJSON for this, Node 20 does not. A bigint is written as a unique string whose quotes
 * are removed afterwards.
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
