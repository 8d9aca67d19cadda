import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import { decodeTraces } from './decode.js';
import { jsonRequest, jsonSpan } from './json-export.fixture.js';
import { InvalidEnvelope, UnreadableBody } from './otlp.errors.js';
import { toJson } from './proto-writer.fixture.js';
import { decodeReadable } from './readable.fixture.js';
import { requestArbitrary } from './request.fixture.js';

/** A member beside the spans that means nothing; spelled with an escape it makes the body be parsed as a whole. */
const MARK = '"@@":0';
const PLAIN_MARK = '"aa":0';
const WHOLE_MARK = '"\\u0061a":0';

const choices = fc.array(fc.nat(11), { minLength: 40, maxLength: 80 });
const BLANKS = ['', '', '', '', '', '', '', ' ', '\n\t', ' \r '];

/** Writes JSON in one of the many ways it can be written. */
class Speller {
  private next = 0;

  constructor(private readonly choices: number[]) {}

  spell(value: JsonValue): string {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value))
      return this.enclosed(
        '[',
        value.map((item) => this.spell(item)),
        ']',
      );
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    const members = Object.entries(value).map(([key, item]) =>
      key === '@@' ? MARK : `${this.text(key)}${this.blank()}:${this.blank()}${this.spell(item)}`,
    );
    if (this.choose() === 0) members.push(...members.splice(0, 1));
    // Of equal keys the last one counts.
    if (this.choose() === 0 && members.length > 0) members.unshift(members.at(-1)!.replace(/:.*/s, ':[{}]'));
    return this.enclosed('{', members, '}');
  }

  private enclosed(open: string, items: string[], close: string): string {
    const separated = items.join(`${this.blank()},${this.blank()}`);
    return `${open}${this.blank()}${separated}${this.blank()}${close}`;
  }

  private text(text: string): string {
    if (this.choose() > 1) return JSON.stringify(text);
    const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  }

  private blank(): string {
    return BLANKS[this.choose()] ?? '';
  }

  private choose(): number {
    return this.choices[this.next++ % this.choices.length];
  }
}

/** Any way to write any request, with the mark. */
const spelled = fc.tuple(requestArbitrary, choices).map(([request, given]) => {
  const body = JSON.parse(toJson(request).toString()) as { resourceSpans: { scopeSpans: JsonValue[] }[] };
  const [resource] = body.resourceSpans;
  resource.scopeSpans = resource.scopeSpans.map((scope) => ({ '@@': 0, ...(scope as object) }));
  return new Speller(given).spell(body as unknown as JsonValue);
});

function outcomeOf(body: string): unknown {
  try {
    return decodeReadable(Buffer.from(body), 'json');
  } catch (error) {
    if (error instanceof UnreadableBody) return error.message;
    if (error instanceof InvalidEnvelope) return error.problems;
    throw error;
  }
}

const isPacked = (body: string): boolean =>
  decodeTraces(Buffer.from(body), 'json').spans.every((span) => Buffer.isBuffer(span.attributes.toJson()));

describe('spans that are cut out of their body', () => {
  it('are those of the body parsed as a whole, however it is written', () => {
    fc.assert(
      fc.property(spelled, (body) => {
        expect(outcomeOf(body.replace(MARK, PLAIN_MARK))).toEqual(outcomeOf(body.replace(MARK, WHOLE_MARK)));
      }),
      { numRuns: 400 },
    );
  });

  it('are refused where the body parsed as a whole is, with the same words', () => {
    const damaged = fc.tuple(spelled, fc.nat(), fc.nat(1), fc.constantFrom(...'{}[]",:\\u0a1e-. tn\u0001é'));
    fc.assert(
      fc.property(damaged, ([body, place, removed, added]) => {
        const at = place % body.length;
        const broken = body.slice(0, at) + added + body.slice(at + removed);
        expect(outcomeOf(broken.replace(MARK, PLAIN_MARK))).toEqual(outcomeOf(broken.replace(MARK, WHOLE_MARK)));
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['compact', JSON.stringify],
    ['indented', (value: unknown) => JSON.stringify(value, null, 2)],
  ])('keep their attributes as they came when the body is %s', (_, write) => {
    const attributes = [
      { key: 'text', value: { stringValue: 'say "hi"\nto \\ é 😀' } },
      { key: 'number', value: { intValue: '7' } },
    ];
    const body = write(jsonRequest(jsonSpan({ attributes }))).replace('é', '\\u00e9');
    expect(isPacked(body)).toBe(true);
    expect(decodeReadable(Buffer.from(body), 'json').spans[0].attributes).toEqual({
      text: 'say "hi"\nto \\ é 😀',
      number: 7,
    });
  });

  it.each(
    [
      '0',
      '7',
      '007',
      '-3',
      '+3',
      '999999999999999',
      '1000000000000000',
      '9007199254740993',
      '1.5',
      '1.0',
      '1e3',
      ' 7',
      '7 ',
    ]
      .flatMap((digits) => [digits, `"${digits}"`])
      .concat('""', '"', '7"', '"7', 'true', 'null', '{}'),
  )('have the integer %s as the body parsed as a whole has it', (written) => {
    const attributes = [{ key: 'k', value: { intValue: '@' } }];
    const body = JSON.stringify(jsonRequest(jsonSpan({ '@@': 0, attributes }))).replace('"@"', written);
    expect(outcomeOf(body.replace(MARK, PLAIN_MARK))).toEqual(outcomeOf(body.replace(MARK, WHOLE_MARK)));
  });

  it.each([
    ['the attributes come twice', (span: string) => span.replace('"attributes":', '"attributes":[],"attributes":')],
    ['they come again in other letters', (span: string) => span.replace('}]}', '}],"attribute\\u0073":[]}')],
    ['the key of the spans is spelled with escapes', (span: string) => span.replace('"spans"', '"span\\u0073"')],
  ])('are not cut when %s', (_, change) => {
    const attributes = [{ key: 'text', value: { stringValue: 'x' } }];
    const body = change(JSON.stringify(jsonRequest(jsonSpan({ attributes }))));
    expect(isPacked(body)).toBe(false);
  });

  it('are flagged one by one where text was replaced', () => {
    const attributes = [{ key: 'k', value: { stringValue: '\0' } }];
    const body = JSON.stringify(
      jsonRequest(jsonSpan({ attributes: [] }), jsonSpan({ spanId: '0123456789abcdef', attributes })),
    );
    expect(isPacked(body)).toBe(true);
    expect(decodeTraces(Buffer.from(body), 'json').spans.map((span) => span.sanitized)).toEqual([false, true]);
  });

  it('have replacement characters where the body is no UTF-8', () => {
    const body = Buffer.from(
      JSON.stringify(jsonRequest(jsonSpan({ attributes: [{ key: 'k', value: { stringValue: 'x@' } }] }))),
    );
    body[body.indexOf('@')] = 0xff;
    expect(decodeReadable(body, 'json').spans[0].attributes).toEqual({ k: 'x\uFFFD' });
  });

  it('are told from numbers that stand in their place', () => {
    const scope = JSON.stringify({ spans: [jsonSpan()] });
    const numbers = scope.replace('"spans":[', '"span\\u0073":[0,');
    const rejected = [{ reason: 'Span is not an object', count: 1 }];
    expect(outcomeOf(`{"resourceSpans":[{"scopeSpans":[${scope},${numbers}]}]}`)).toMatchObject({ rejected });
    expect(outcomeOf(JSON.stringify(jsonRequest(0, jsonSpan())))).toMatchObject({ spans: [{}], rejected });
  });

  it.each([
    ['a comma is missing between attributes', '},{"key"', '}{"key"'],
    ['a list of attributes ends with the wrong bracket', '"two"}}]', '"two"}}}'],
    ['a comma follows the last attribute', '}]', '},]'],
    ['an escape has a wrong digit', '"one"', '"\\u00g9"'],
    ['an escape is unknown', '"one"', '"\\x"'],
    ['a text holds a line break', '"one"', '"\n"'],
    ['a text does not end', '"two"}}]', '"two'],
    ['an attribute has no value', '{"stringValue":"one"}', ''],
    ['a value is a word', '{"stringValue":"one"}', 'none'],
    ['a comma is missing between spans', '},{"traceId"', '}{"traceId"'],
  ])('make the body unreadable when %s', (_, part, damaged) => {
    const attributes = ['one', 'two'].map((key) => ({ key, value: { stringValue: key } }));
    const body = JSON.stringify(jsonRequest(jsonSpan({ attributes }), jsonSpan({ attributes })));
    expect(body).toContain(part);
    expect(outcomeOf(body.replace(part, damaged))).toBe('The body is not valid JSON.');
  });
});
