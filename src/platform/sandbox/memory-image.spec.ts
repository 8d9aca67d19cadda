import { expect, it } from 'vitest';
import { MemoryImage } from './memory-image.js';

const KIB = 1 << 10;

/** A memory with something at its beginning, behind a short and behind a long stretch of zeros. */
function memory(): Uint8Array {
  const bytes = new Uint8Array(3 * KIB * KIB);
  for (const at of [0, 7, 100 * KIB, 2 * KIB * KIB + 3]) bytes[at] = at % 251 || 1;
  return bytes;
}

it('restores everything but long stretches of zeros', () => {
  const bytes = memory();
  const image = new MemoryImage(bytes);
  bytes.fill(9, 0, 200 * KIB);
  bytes.fill(9, 2 * KIB * KIB, 2 * KIB * KIB + 8);
  image.restore(bytes);
  const wanted = memory();
  expect(Buffer.compare(bytes.subarray(0, 100 * KIB + 4), wanted.subarray(0, 100 * KIB + 4))).toBe(0);
  expect(bytes[2 * KIB * KIB + 3]).toBe(wanted[2 * KIB * KIB + 3]);
});
