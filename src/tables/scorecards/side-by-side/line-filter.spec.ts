import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../verdicts.js';
import { isWanted, type LineFilter } from './line-filter.js';
import { lengthOfEach, SHOWN_LENGTH } from './side-by-side.queries.js';

const ANY: LineFilter = { verdicts: null, minScore: null, maxScore: null, change: null };

/** Runs of one row each. */
const runsOf = (...scores: (number | null)[]) =>
  scores.map((score) => ({
    scores: { at: () => score, verdictAt: (): Verdict | null => (score === null ? null : score < 1 ? 'fail' : 'pass') },
  }));
const wants = (filter: Partial<LineFilter>, ...scores: (number | null)[]) =>
  isWanted(
    runsOf(...scores),
    scores.map(() => 0),
    { ...ANY, ...filter },
  );

describe('a filter of rows', () => {
  it.each<[Partial<LineFilter>, (number | null)[], boolean]>([
    [{}, [null], true],
    [{ verdicts: ['fail'] }, [1, 0], true],
    [{ verdicts: ['fail'] }, [1, null], false],
    [{ minScore: 0.5 }, [0.4, 0.5], true],
    [{ minScore: 0.5, maxScore: 0.6 }, [0.4, 0.7], false],
    [{ maxScore: 0 }, [null], false],
    [{ change: 'any' }, [1, 1, 0], true],
    [{ change: 'better' }, [0.5, 0], false],
    [{ change: 'worse' }, [0.5, 0], true],
    [{ change: 'any' }, [null, 1], false],
    [{ change: 'any' }, [1], false],
  ])('%o of %o: %s', (filter, scores, wanted) => expect(wants(filter, ...scores)).toBe(wanted));
});

it('shows less of each cell when there are more cells', () => {
  fc.assert(
    fc.property(fc.nat(100_000), (cells) => {
      const length = lengthOfEach(cells);
      expect(length).toBeLessThanOrEqual(SHOWN_LENGTH);
      expect(length * cells).toBeLessThanOrEqual(8_000_000);
    }),
  );
});
