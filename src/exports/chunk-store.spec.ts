import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storeInChunks } from './chunk-store.js';

const MIB = 1024 * 1024;
const UNLIMITED = { bytes: Infinity, exceeded: () => new Error('too large') };

async function* streamOf(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

async function stored(pieces: Uint8Array[], limit = UNLIMITED) {
  const chunks: Buffer[] = [];
  const file = await storeInChunks(
    streamOf(pieces),
    (chunk, number) => {
      expect(number).toBe(chunks.length);
      // A chunk may be a view of memory that is used again.
      chunks.push(Buffer.from(chunk));
      return Promise.resolve();
    },
    limit,
  );
  return { chunks, file };
}

describe('storeInChunks', () => {
  it('keeps every byte in order, in chunks of 1 MiB but the last', async () => {
    const sizes = fc.array(fc.oneof(fc.nat(10), fc.nat(3 * MIB), fc.constantFrom(0, MIB - 1, MIB, 2 * MIB)), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const pieces = lengths.map((length, index) => Buffer.alloc(length, index + 1));
        const whole = Buffer.concat(pieces);
        const { chunks, file } = await stored(pieces);
        expect(Buffer.concat(chunks).equals(whole)).toBe(true);
        expect(chunks.slice(0, -1).every((chunk) => chunk.length === MIB)).toBe(true);
        expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= MIB)).toBe(true);
        expect(file).toEqual({ bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') });
      }),
      { numRuns: 40 },
    );
  });

  it('stops at the limit', async () => {
    const limit = { ...UNLIMITED, bytes: 10 };
    await expect(stored([Buffer.alloc(6), Buffer.alloc(5)], limit)).rejects.toThrow('too large');
    expect((await stored([Buffer.alloc(6), Buffer.alloc(4)], limit)).file.bytes).toBe(10);
  });
});
