import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRuns, RECEIPT_STATUSES, type ReceiptRun, ReceiptRuns } from './receipt.js';

const id = fc.constantFrom(null, 'a'.repeat(32), 'b'.repeat(32));
const reason = fc.constantFrom(null, 'trace_closed', 'says ]], and "quotes"\u0000');
const facts = fc.record({ traceId: id, status: fc.constantFrom(...RECEIPT_STATUSES), reason });
const entries = fc.array(fc.tuple(id, facts), { maxLength: 20 });
type Entry = [string | null, Omit<ReceiptRun, 'spanIds'>];

function written(given: Entry[]): string {
  const runs = new ReceiptRuns();
  for (const each of given) runs.add(...each);
  return runs.text;
}

const read = (text: string): Entry[] =>
  readRuns(text).flatMap(({ spanIds, ...rest }) => spanIds.map((spanId): Entry => [spanId, rest]));

describe('the text of a receipt', () => {
  it('gives back every span in its order, also when it was written in parts', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 3 }), (parts) => {
        expect(read(parts.map(written).join(''))).toEqual(parts.flat());
      }),
    );
  });

  it('says once what spans have in common', () => {
    const spanIds = ['span 1', 'span 2', 'span 3'];
    const common = { traceId: 'a trace', status: 'stored', reason: null } as const;
    const runs = readRuns(written(spanIds.map((spanId): Entry => [spanId, common])));
    expect(runs).toEqual([{ ...common, spanIds }]);
  });
});
