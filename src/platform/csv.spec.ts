import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLines, unmarkFormulas } from './csv.js';

const OPTIONS = { escapeFormulas: true, quotes: () => false };
const readAgain = (csv: string) =>
  (parse(csv, { record_delimiter: '\r\n' }) as unknown as string[][]).map(unmarkFormulas);

it('reads every text as it was written', () => {
  const text = fc.string({ unit: fc.constantFrom("'", '=', '-', '@', '\t', 'a', '1', '"', ',', '＝') });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.constant('x')), { minLength: 1 }), (rows) => {
      expect(readAgain(csvLines(rows, OPTIONS))).toEqual(rows);
    }),
  );
});

it('writes no text that a spreadsheet program would run', () => {
  fc.assert(
    fc.property(fc.constantFrom(...'=+-@\t＝＋－＠'), fc.string(), (first, rest) => {
      expect(csvLines([[first + rest]], OPTIONS)).toMatch(/^"?'/);
    }),
  );
});

it.each(["'-5'", "'+1 hour'", "it's", "'quoted'", '-5', "'"])('reads %j of other programs unchanged', (text) => {
  expect(unmarkFormulas([text])).toEqual([text]);
});
