import { expect, it } from 'vitest';
import type { VersionBody } from '../api/schema.gen';
import { foldVersions } from './fold-versions';

const version = (version_number: number, types: string[], more: object = {}) =>
  ({
    version_number,
    name: null,
    score: {},
    deltas: types.map((type) => ({ type })),
    ...more,
  }) as unknown as VersionBody;
const numbers = (...versions: VersionBody[]) =>
  foldVersions(versions).map((line) =>
    Array.isArray(line) ? line.map(({ version_number: number }) => number) : line.version_number,
  );

it('folds versions of computing that follow each other', () => {
  const computed = [6, 5, 4].map((number) => version(number, ['execution']));
  expect(numbers(version(7, ['cell.update']), ...computed, version(3, ['cell.update']))).toEqual([7, [6, 5, 4], 3]);
  expect(
    numbers(version(3, ['cell.update']), version(2, ['execution', 'composition']), version(1, ['execution'])),
  ).toEqual([3, [2, 1]]);
});

it('leaves the newest, named, scored and mixed versions alone', () => {
  const computed = (number: number, more = {}) => version(number, ['execution'], more);
  expect(numbers(computed(3), computed(2))).toEqual([3, 2]);
  expect(numbers(computed(4), computed(3), computed(2, { name: 'Good' }), computed(1))).toEqual([4, 3, 2, 1]);
  expect(numbers(computed(4), computed(3, { score: { aggregate_score: 1 } }), computed(2))).toEqual([4, 3, 2]);
  expect(numbers(computed(4), version(3, ['execution', 'cell.update']), computed(2))).toEqual([4, 3, 2]);
  expect(numbers(computed(4), version(3, []), computed(2))).toEqual([4, 3, 2]);
  expect(numbers()).toEqual([]);
});
