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

  it('keeps skipped spans in their position, and refuses a repeated span where the first one is refused', () => {
    const runs = new ReceiptRuns();
    const stored = { traceId: 't', status: 'stored', reason: null } as const;
    const closed = { traceId: 'c', status: 'rejected', reason: 'trace_closed' } as const;
    runs.add('1', stored);
    runs.add('2', closed);
    runs.add('3', stored);
    const aside = { status: 'duplicate', reason: null, count: 1 } as const;
    const woven = runs.woven([
      { ...aside, at: 0, traceId: null, spanId: null, status: 'rejected', reason: 'why' },
      { ...aside, at: 2, traceId: 't', spanId: '1' },
      { ...aside, at: 2, traceId: 'c', spanId: '2' },
      { ...aside, at: 3, traceId: 't', spanId: '3' },
      { ...aside, at: Infinity, traceId: null, spanId: null, count: 7 },
    ]);
    expect(readRuns(woven.text)).toEqual([
      { traceId: null, status: 'rejected', reason: 'why', spanIds: [null] },
      { ...stored, spanIds: ['1'] },
      { ...closed, spanIds: ['2'] },
      { ...stored, status: 'duplicate', spanIds: ['1'] },
      { ...closed, spanIds: ['2'] },
      { ...stored, spanIds: ['3'] },
      { ...stored, status: 'duplicate', spanIds: ['3'] },
      { traceId: null, status: 'duplicate', reason: null, spanIds: [], untold: 7 },
    ]);
  });

  it('says once what spans have in common', () => {
    const spanIds = ['span 1', 'span 2', 'span 3'];
    const common = { traceId: 'a trace', status: 'stored', reason: null } as const;
    const runs = readRuns(written(spanIds.map((spanId): Entry => [spanId, common])));
    expect(runs).toEqual([{ ...common, spanIds }]);
  });
});
