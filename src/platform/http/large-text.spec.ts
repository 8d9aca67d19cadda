import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Base64Failure, decodeBase64 } from './base64.js';
import { detachLargeTexts, LargeText } from './large-text.js';

const LONG = 'QUJD'.repeat(100_000);

function parse(body: Buffer): unknown {
  const { rest, attach } = detachLargeTexts(body);
  return attach(JSON.parse(rest.toString()));
}

describe('the long texts of a body', () => {
  it('become bytes in any position, and short ones stay strings', () => {
    const value = parse(
      Buffer.from(JSON.stringify({ a: [{ b: LONG }, 'short'], c: LONG, d: 1, 'a "quoted" \\': '\\' })),
    );
    expect(value).toMatchObject({ a: [{ b: expect.any(LargeText) }, 'short'], d: 1, 'a "quoted" \\': '\\' });
    expect((value as { c: LargeText }).c.bytes.toString()).toBe(LONG);
  });

  it('stay strings when they contain escapes', () => {
    expect(parse(Buffer.from(JSON.stringify({ a: `${LONG}\n"` })))).toEqual({ a: `${LONG}\n"` });
  });

  it('are not changed in invalid JSON', () => {
    for (const body of [`{"a":"${LONG}`, `"${LONG}\\"`, '"', '', '{']) {
      expect(detachLargeTexts(Buffer.from(body)).rest.toString()).toBe(body);
    }
  });

  it('are equal when their bytes are', () => {
    const texts = [LONG, LONG, `${LONG}QQ==`].map((text) => JSON.stringify(parse(Buffer.from(`{"a":"${text}"}`))));
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });
});

describe('base64', () => {
  const decode = (text: string | LargeText) => Buffer.concat([...decodeBase64(text)]);

  it('decodes to any bytes, also with line breaks in the text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(80), (bytes, width) => {
        const text = Buffer.from(bytes).toString('base64');
        const lines = width === 0 ? text : text.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
        expect(decode(lines)).toEqual(Buffer.from(bytes));
        expect(decode(new LargeText(Buffer.from(text)))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('is decoded the same when it is longer than a piece', () => {
    const bytes = Buffer.alloc(3_000_001, 'some text');
    expect(decode(new LargeText(Buffer.from(bytes.toString('base64')))).equals(bytes)).toBe(true);
  });

  it.each(['A', 'AA', 'AAA', 'A===', '====', 'AA==AAAA', 'AA=A', 'AAAA=', 'ÄÄÄÄ', 'AA-_', '{"a":1}'])(
    'is not %j',
    (text) => {
      expect(() => decode(text)).toThrow(Base64Failure);
    },
  );
});
