import { describe, expect, it } from 'vitest';
import { MemoryImage } from './memory-image.js';

const KIB = 1 << 10;

/** A memory with something at its beginning, behind a short and behind a long stretch of zeros. */
function memory(): Uint8Array {
  const bytes = new Uint8Array(3 * KIB * KIB);
  for (const at of [0, 7, 100 * KIB, 2 * KIB * KIB + 3]) bytes[at] = at % 251 || 1;
  return bytes;
}

describe('MemoryImage', () => {
  it.each([true, false])('puts everything back that was there (thorough: %s)', (isThorough) => {
    const bytes = memory();
    const image = new MemoryImage(bytes);
    bytes.fill(9, 0, 200 * KIB);
    bytes.fill(9, 2 * KIB * KIB, 2 * KIB * KIB + 8);
    image.restore(bytes, isThorough);
    const wanted = memory();
    const same = (from: number, to: number) =>
      Buffer.compare(bytes.subarray(from, to), wanted.subarray(from, to)) === 0;
    expect([same(0, 100 * KIB + 4), bytes[2 * KIB * KIB + 3]]).toEqual([true, wanted[2 * KIB * KIB + 3]]);
    expect(same(0, bytes.length)).toBe(isThorough);
  });

  it('wipes out what a memory has grown by', () => {
    const image = new MemoryImage(memory());
    const grown = new Uint8Array(5 * KIB * KIB).fill(9);
    image.restore(grown, true);
    expect(Buffer.compare(grown.subarray(0, 3 * KIB * KIB), memory())).toBe(0);
    expect(grown.subarray(3 * KIB * KIB).every((byte) => byte === 0)).toBe(true);
  });
});
