import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../platform/json.js';
import { BooleanRules, type ColumnScore, ColumnTally } from './column-score.js';
import type { AssertionAggregation, ColumnScoringType } from './score-config.js';

type Given = ConstructorParameters<typeof BooleanRules>[0];

function scoreOf(type: ColumnScoringType, cells: JsonValue[], given: Given = {}): ColumnScore {
  const tally = new ColumnTally(type, new BooleanRules(given));
  for (const cell of cells) tally.add(cell);
  return tally.result();
}

const map = (...answers: boolean[]) => Object.fromEntries(answers.map((answer, at) => [`q${at}`, answer]));

describe('a column of booleans', () => {
  it.each<[string, JsonValue[], number | null, number]>([
    ['booleans', [true, true, false, true], 0.75, 4],
    ['the default texts', ['yes', 'PASS', ' passed ', '1', 'no', 'Fail', 'failed', '0'], 0.5, 8],
    ['the numbers 1 and 0', [1, 0, 0, 0], 0.25, 4],
    ['what cannot be read is left out', [true, 'maybe', null, '', 2, false], 0.5, 2],
    ['nothing that can be read', ['maybe', 'a text'], null, 0],
    ['no cells', [], null, 0],
    ['the share of several assertions', [map(true, false), map(true, true)], 0.75, 2],
    ['wrapped verdicts', [{ comparison_result: true }, { value: false, reasoning: '' }, { score: 1 }], 2 / 3, 3],
    ['a score that is neither 0 nor 1', [{ score: 0.7 }, true], 1, 1],
  ])('%s', (_, cells, score, included) => {
    expect(scoreOf('boolean', cells)).toMatchObject({ score, included });
  });

  it.each<[AssertionAggregation, number]>([
    ['all', 1 / 4],
    ['any', 3 / 4],
    ['mean', (1 + 1 / 2 + 1 / 3 + 0) / 4],
  ])('combines the assertions of a cell by %s', (aggregation, score) => {
    const cells = [map(true), map(true, false), map(false, true, false), map(false, false)];
    expect(scoreOf('boolean', cells, { aggregation }).score).toBeCloseTo(score, 12);
  });

  it.each<[string, Given, number | null, number]>([
    ['both lists', { trueValues: ['Good'], falseValues: ['bad'] }, 0.5, 4],
    ['only what passed: the default of the other stays', { trueValues: ['good', 'GREAT'] }, 2 / 3, 3],
    ['a text that the other default has', { trueValues: ['no'] }, 1, 1],
    ['an empty list', { trueValues: [], falseValues: ['good'] }, 0, 2],
  ])('with given values, %s', (_, given, score, included) => {
    const cells = ['good', ' GOOD', 'bad', 'Bad ', 'no'].slice(0, 'falseValues' in given ? 4 : 5);
    const found = scoreOf('boolean', cells, given);
    expect(found).toMatchObject({ score: score === null ? null : expect.closeTo(score, 12), included });
  });

  it('reads booleans as they are, with any given texts', () => {
    expect(scoreOf('boolean', [true, false], { trueValues: ['false'], falseValues: ['true'] }).score).toBe(0.5);
  });

  it('counts the cells that passed completely', () => {
    expect(scoreOf('boolean', [map(true, true), map(true, false), 'yes', false]).passed).toBe(2);
  });
});

describe('a column of numbers', () => {
  it.each<[string, JsonValue[], number | null, number]>([
    ['numbers on their own scale', [10, 20, 60], 30, 3],
    ['texts of numbers', ['1.5', ' 2.5 ', '-1', '1e2'], 25.75, 4],
    ['no booleans and no texts', [true, 'ten', null, 4], 4, 1],
    ['wrapped numbers', [{ score: 1 }, { value: 2 }, '{"score": 6}'], 3, 3],
    ['several assertions are no number', [map(true, false), 5], 5, 1],
    ['numbers beyond 2^53', [9_007_199_254_740_993n], 9_007_199_254_740_992, 1],
    ['numbers that are too large for any', [10n ** 400n, 1], 1, 1],
    ['nothing that can be read', ['a', 'b'], null, 0],
  ])('%s', (_, cells, score, included) => {
    expect(scoreOf('numeric', cells)).toMatchObject({ score, included });
  });

  it('stays exact when small numbers are added to large ones', () => {
    expect(scoreOf('numeric', [1e16, 1, 1, 1, 1, -1e16]).score).toBe(4 / 6);
  });

  it('has no score when the sum is too large', () => {
    expect(scoreOf('numeric', [1.7e308, 1.7e308]).score).toBeNull();
  });
});

describe('a column of an unknown type', () => {
  it.each<[string, JsonValue[], ColumnScore['resolved'], number | null]>([
    ['booleans', [true, 'no', null], 'boolean', 0.5],
    ['ones and zeros read as booleans', [1, 0, '1', '1'], 'boolean', 0.75],
    ['numbers', [1, 0, 5], 'numeric', 2],
    ['booleans and numbers', [true, 5], null, null],
    ['texts that cannot be read are left out', ['pass', 'not applicable'], 'boolean', 1],
    ['only texts', ['a', 'b'], null, null],
    ['nothing', [null, ''], null, null],
  ])('%s', (_, cells, resolved, score) => {
    expect(scoreOf('auto', cells)).toMatchObject({ resolved, score });
  });

  it('counts no row when it has no score', () => {
    expect(scoreOf('auto', [true, 5, 6]).included).toBe(0);
  });
});

describe('a column that is read strictly', () => {
  const strict = (cells: JsonValue[]) => {
    const tally = new ColumnTally('auto', new BooleanRules({ trueValues: ['true'], falseValues: ['false'] }), true);
    for (const cell of cells) tally.add(cell);
    return tally.result();
  };

  it.each<[string, JsonValue[], number | null, number]>([
    ['booleans, and nothing in some cells', [true, false, null, '', { value: null }], 0.5, 2],
    ['ones and zeros, which are numbers for it', [1, 0, 1], 2 / 3, 3],
    ['a text', [true, 'maybe'], null, 0],
    ['a word that stands for a boolean elsewhere', ['true', 'yes'], null, 0],
    ['a list', [1, [1, 2]], null, 0],
    ['an object', [1, { latency: 3 }], null, 0],
    ['an empty list', [1, []], null, 0],
    ['assertions', [map(true, false), true], 0.75, 2],
  ])('holds %s', (_, cells, score, included) => {
    expect(strict(cells)).toMatchObject({ score: score === null ? null : expect.closeTo(score, 12), included });
  });
});
