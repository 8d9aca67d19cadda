import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FirstFall, nextStep, type Outcome } from './bisection.js';

/** Runs a search to its end. */
function search(outcomes: Outcome[]): { found: FirstFall | null; steps: number[] } {
  const known = new Map<number, Outcome>();
  for (;;) {
    const next = nextStep({ good: 1, bad: outcomes.length, known });
    if ('found' in next) return { found: next.found, steps: [...known.keys()].slice(2) };
    if (known.has(next.version)) throw new Error(`Version ${next.version} was looked at twice.`);
    known.set(next.version, outcomes[next.version - 1]!);
  }
}

/** The outcomes of versions that held, followed by those that fell. */
const history = (held: number, fell: number): Outcome[] => [
  ...Array.from({ length: held }, (): Outcome => 'held'),
  ...Array.from({ length: fell }, (): Outcome => 'fell'),
];

describe('the search for the first version that fell', () => {
  it('finds a fall at every possible place of 16 versions in four steps besides the ends', () => {
    for (let held = 1; held < 16; held++) {
      const { found, steps } = search(history(held, 16 - held));
      expect(found).toEqual({ lastGood: held, firstBad: held + 1, skipped: [] });
      expect(steps.length).toBeLessThanOrEqual(4);
    }
  });

  it('ends after both ends when they do not differ', () => {
    expect(search(history(16, 0))).toEqual({ found: null, steps: [] });
    expect(search([...history(15, 0), 'unscored'])).toEqual({ found: null, steps: [] });
  });

  it('needs no step for neighbours', () => {
    expect(search(['held', 'fell'])).toEqual({ found: { lastGood: 1, firstBad: 2, skipped: [] }, steps: [] });
  });

  it('lists the versions without a score before the fall', () => {
    const { found } = search(['held', 'held', 'unscored', 'unscored', 'fell', 'fell']);
    expect(found).toEqual({ lastGood: 2, firstBad: 5, skipped: [3, 4] });
  });

  it('agrees with looking at one version after the other', () => {
    const middle = fc.array(fc.constantFrom<Outcome>('held', 'unscored'), { maxLength: 40 });
    const rest = fc.array(fc.constantFrom<Outcome>('fell', 'unscored'), { maxLength: 40 });
    fc.assert(
      fc.property(middle, rest, (before, after) => {
        const outcomes: Outcome[] = ['held', ...before, ...after, 'fell'];
        const firstBad = outcomes.indexOf('fell') + 1;
        const lastGood = outcomes.slice(0, firstBad).lastIndexOf('held') + 1;
        const skipped = outcomes.flatMap((_, at) => (at + 1 > lastGood && at + 1 < firstBad ? [at + 1] : []));
        expect(search(outcomes).found).toEqual({ lastGood, firstBad, skipped });
      }),
    );
  });

  it('takes a number of steps logarithmic in the number of versions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 2000 }), (held, fell) => {
        const { steps } = search(history(held, fell));
        expect(steps.length).toBeLessThanOrEqual(Math.ceil(Math.log2(held + fell - 1)));
      }),
    );
  });

  it('finds a fall after a version that held also where the score rose again', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Outcome>('held', 'fell'), { maxLength: 60 }), (middle) => {
        const outcomes: Outcome[] = ['held', ...middle, 'fell'];
        const { found } = search(outcomes);
        expect([outcomes[found!.lastGood - 1], outcomes[found!.firstBad - 1]]).toEqual(['held', 'fell']);
        expect(found!.firstBad).toBe(found!.lastGood + 1);
      }),
    );
  });
});
