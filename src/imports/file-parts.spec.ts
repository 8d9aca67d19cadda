import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { parseCsv } from './csv-records.js';
import { FileSteps } from './file-plan.js';
import { inPiecesOf, toUtf8 } from './file-text.js';
import { planCsv } from './file.importer.js';
import { JsonElements, JsonFailure, parseElements } from './json-elements.js';

const pieces = (text: string, size: number): Iterable<Buffer> => inPiecesOf(size, [Buffer.from(text)]);
async function* later(list: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* list;
}

const COMMA = { delimiter: ',', hasSeparatorLine: false, suspect: null };

/** Texts full of special characters of CSV and JSON. */
const awkward = fc.string({
  unit: fc.constantFrom('a', 'ü', '😀', ',', '"', '\n', '\r', ' ', '{', '}', '[', ']', '\\'),
});

describe('the parts of a CSV', () => {
  it('hold every record once and in order, however the text is cut', async () => {
    const table = fc
      .nat(4)
      .chain((more) => fc.array(fc.array(awkward, { minLength: more + 2, maxLength: more + 2 }), { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('\n', '\r\n'),
        async (rows, size, newline) => {
          const text = Papa.unparse([rows[0]!.map((_, index) => `c${index}`), ...rows], { newline, quotes: true });
          const plan = await planCsv(later(pieces(text, size)), rows[0]!.length, COMMA);
          const bytes = Buffer.from(text);
          expect(plan.parts.flatMap(({ start, end }) => parseCsv(bytes.subarray(start, end), ','))).toEqual(rows);
          expect(plan.rowCount).toBe(rows.length);
        },
      ),
    );
  });
});

describe('the parts of a JSON list', () => {
  const object = fc.dictionary(awkward, fc.oneof(awkward, fc.jsonValue({ maxDepth: 3 })), { maxKeys: 4 });

  it('hold every object once and in order, however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(object), fc.integer({ min: 1, max: 40 }), fc.nat(3), (list, size, indent) => {
        const text = JSON.stringify(list, null, indent);
        const elements = new JsonElements();
        const steps = new FileSteps();
        const read: JsonObject[] = [];
        for (const piece of pieces(text, size)) {
          for (const { value, start, end } of elements.add(piece)) {
            read.push(value);
            steps.add(start, end);
          }
        }
        elements.end();
        const plan = steps.plan(3);
        const bytes = Buffer.from(text);
        const expected = readJson(text) as JsonObject[];
        expect(read).toEqual(expected);
        expect(plan.parts.flatMap(({ start, end }) => parseElements(bytes.subarray(start, end)))).toEqual(expected);
      }),
    );
  });

  it('are refused wherever JSON.parse refuses the text or gives something else', () => {
    const noise = fc.string({ unit: fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1', 'a', ' ') });
    fc.assert(
      fc.property(
        fc.oneof(
          noise,
          noise.map((text) => `[{"a":${text}}]`),
        ),
        (text) => {
          expect(isList(text)).toBe(isListByDefinition(text));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

function isList(text: string): boolean {
  const elements = new JsonElements();
  try {
    for (const piece of pieces(text, 3)) Array.from(elements.add(piece));
    elements.end();
    return true;
  } catch (error) {
    if (error instanceof JsonFailure) return false;
    throw error;
  }
}

function isListByDefinition(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return (
      Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
    );
  } catch {
    return false;
  }
}

describe('parts', () => {
  it('have few rows when there are many columns, and few bytes when rows are long', () => {
    const partsOf = (rows: number, bytes: number, columns: number) => {
      const steps = new FileSteps();
      for (let row = 0; row < rows; row++) steps.add(row * bytes, (row + 1) * bytes);
      return steps.plan(columns).parts;
    };
    expect(partsOf(5000, 10, 2).map(({ row }) => row)).toEqual([0, 2000, 4000]);
    expect(partsOf(150, 10, 999).map(({ row }) => row)).toEqual([0, 50, 100]);
    expect(partsOf(3, 3_000_000, 2).map(({ row }) => row)).toEqual([0, 1, 2]);
    expect(partsOf(0, 1, 2)).toEqual([]);
    const parts = partsOf(5000, 10, 2);
    expect(parts.map(({ start, end }) => [start, end])).toEqual([
      [0, 20_000],
      [20_000, 40_000],
      [40_000, 50_000],
    ]);
  });
});

describe('a text', () => {
  it('is the same in UTF-8 and UTF-16, with and without a mark, however it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 4, max: 9 }), (text, size) => {
        fc.pre(!text.includes('\0') && !text.startsWith('\uFEFF') && text.isWellFormed());
        const forms = [
          Buffer.from(text),
          Buffer.from(`\uFEFF${text}`),
          Buffer.from(`\uFEFF${text}`, 'utf16le'),
          Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
        ];
        for (const form of forms) expect(Buffer.concat([...toUtf8(inPiecesOf(size, [form]))]).toString()).toBe(text);
      }),
    );
  });
});
