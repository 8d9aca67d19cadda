import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUtf8 } from './utf8.js';

describe('readUtf8', () => {
  it('reads any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readUtf8(Buffer.from(text))).toBe(text.toWellFormed());
      }),
    );
  });

  it('reads any bytes as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: 'grapheme' }), (noise, text) => {
        const bytes = Buffer.concat([Buffer.from(text), noise, Buffer.from(text)]);
        expect(readUtf8(bytes)).toBe(bytes.toString('utf8'));
      }),
    );
  });
});
