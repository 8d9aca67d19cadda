import { expect, it } from 'vitest';
import { SHAPES, simulate } from '../../src/platform/statistics/simulation.fixture.js';
import { printTable } from './report.js';

const SETS = Number(process.env.BENCH_SETS ?? 4000);
const ROWS = [10, 50, 200];

const percent = (share: number) => (share * 100).toFixed(1);

it('holds scores and differences in its intervals, and rarely calls equal runs different', () => {
  const measured = SHAPES.flatMap((shape, at) =>
    ROWS.map((rows) => ({ shape, rows, ...simulate(shape, { rows, sets: SETS, seed: 100 * at + rows }) })),
  );
  printTable(`${SETS} simulated comparisons each, in percent`, [
    ['Scores', 'Rows', 'Score held', 'Difference held', 'False positives', 'Differences found'],
    ...measured.map(({ shape, rows, score, difference, falsePositives, found }) => [
      shape.name,
      String(rows),
      percent(score),
      percent(difference),
      percent(falsePositives),
      percent(found),
    ]),
  ]);
  for (const { score, difference, falsePositives } of measured) {
    expect(Math.min(score, difference)).toBeGreaterThanOrEqual(0.93);
    expect(falsePositives).toBeLessThanOrEqual(0.055);
  }
});
