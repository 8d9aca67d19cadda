import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeySequence } from './key-sequence.js';

const key = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'gen_ai.system', 'é', '__proto__', '\0', '\ud800', '\ufffd', 'k'.repeat(101)),
  fc.string({ maxLength: 3 }),
);
const keys = fc.array(key, { maxLength: 12 });

describe('KeySequence', () => {
  it('knows the last place of every key, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 20 }), (lists) => {
        for (const list of lists) {
          const sequence = KeySequence.of(list);
          expect([...sequence.distinct]).toEqual([...new Set(list)]);
          for (const given of list) expect(sequence.placeOf(given)).toBe(list.lastIndexOf(given));
          expect(sequence.has('no such key')).toBe(false);
        }
      }),
    );
  });

  it('is the same object for the same keys, and derives values once', () => {
    const about = {};
    const work = (sequence: KeySequence) => [[...sequence.distinct].length];
    const first = KeySequence.of(['x', 'y']);
    const again = KeySequence.extend(KeySequence.of(['x']), ['y']);
    expect(again).toBe(first);
    expect(again.derive(about, work)).toBe(first.derive(about, work));
    expect(KeySequence.of(['y', 'x']).derive(about, work)).not.toBe(first.derive(about, work));
  });

  it('drops kept sequences when there are too many', () => {
    const kept = KeySequence.of(['kept']);
    for (let n = 0; n < 3_000; n++) KeySequence.of([`of span ${n}`]).derive(kept, () => []);
    expect(KeySequence.of(['kept'])).not.toBe(kept);
    expect(kept.placeOf('kept')).toBe(0);
  });
});
