import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellIds, parseCellId } from './cell-id.js';

const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('cell ids', () => {
  it('are UUIDs that give their address back', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 63n - 1n), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (key, rowIndex) => {
        const id = cellIds(key.toString())(rowIndex);
        expect(id).toMatch(UUID_V8);
        expect(parseCellId(id)).toEqual({ columnKey: key.toString(), rowIndex });
        expect(parseCellId(id.toUpperCase())).toEqual({ columnKey: key.toString(), rowIndex });
      }),
      { numRuns: 500 },
    );
  });

  it('are not mistaken for other UUIDs', () => {
    const accepted = fc.sample(fc.uuid({ version: 8 }), 2000).filter((id) => parseCellId(id) !== null);
    expect(accepted.length).toBeLessThan(3);
    expect(parseCellId('not a uuid')).toBeNull();
  });
});
