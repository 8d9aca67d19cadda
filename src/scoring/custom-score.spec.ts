import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../platform/json.js';
import { readCustomScore } from './custom-score.js';

const table = [
  ['Model', 'a', 'b'],
  ['Accuracy', 0.5, { value: 0.75, positive_metric: true }],
  ['Latency', null, { value: 3, positive_metric: false }],
];

describe('the result of the code of a custom score', () => {
  it.each<[string, JsonValue, object]>([
    ['a score', { score: 0.5 }, { score: 0.5, subScores: {}, matrix: null }],
    ['more than is asked for', { score: 2, note: 'fine' }, { score: 2, subScores: {}, matrix: null }],
    ['sub-scores', { score: 1, sub_scores: { tone: 0.25, Länge: 3 } }, { subScores: { tone: 0.25, Länge: 3 } }],
    [
      'null for what may be left out',
      { score: 1, sub_scores: null, score_matrix: null },
      { subScores: {}, matrix: null },
    ],
    ['a large integer', { score: 12345678901234567890n }, { score: 12345678901234567000 }],
    ['a matrix', { score: 1, score_matrix: table }, { matrix: table }],
    ['one matrix in a list', { score: 1, score_matrix: [table] }, { matrix: table }],
    [
      'a title before the first row',
      {
        score: 1,
        score_matrix: [
          ['Title', 'a', 'b'],
          [1, 2],
        ],
      },
      {
        matrix: [
          ['Title', 'a', 'b'],
          [1, 2],
        ],
      },
    ],
    ['a cell with a large integer', { score: 1, score_matrix: [[1n]] }, { matrix: [[1]] }],
  ])('%s', (_, returned, expected) => {
    expect(readCustomScore(returned)).toMatchObject(expected);
  });

  it('may have several matrices up to the limit', () => {
    const given = { score: 1, score_matrix: [table, [[1]]] };
    expect(readCustomScore(given, 2)).toMatchObject({ matrix: table, matrices: [table, [[1]]] });
    expect(readCustomScore({ score: 1, score_matrix: [table] }, 2)).toEqual({ score: 1, subScores: {}, matrix: table });
    expect(() => readCustomScore(given, 1)).toThrow(/one table only/);
    expect(() => readCustomScore({ score: 1, score_matrix: [[[1]], [[2]], [[3]]] }, 2)).toThrow(/2 tables only/);
    expect(() => readCustomScore({ score: 1, score_matrix: [[[1]], 2] }, 2)).toThrow(/list of rows/);
  });

  it.each<[string, JsonValue, RegExp]>([
    ['nothing', null, /has to return an object with a numeric "score"/],
    ['a number', 0.5, /has to return an object/],
    ['a list', [1], /has to return an object/],
    ['no score', { sub_scores: {} }, /"score" has to be a number/],
    ['a text', { score: '0.5' }, /"score" has to be a number/],
    ['a boolean', { score: true }, /"score" has to be a number/],
    ['an infinite score', { score: 10n ** 400n }, /"score" has to be a number/],
    ['sub-scores that are no object', { score: 1, sub_scores: [1] }, /"sub_scores" has to be an object/],
    ['a sub-score that is no number', { score: 1, sub_scores: { tone: 'good' } }, /"tone" has to be a number/],
    ['a matrix of one dimension', { score: 1, score_matrix: [1, 2] }, /list of rows/],
    ['no matrix', { score: 1, score_matrix: 3 }, /list of rows/],
    ['an empty matrix', { score: 1, score_matrix: [] }, /list of rows/],
    ['two matrices', { score: 1, score_matrix: [table, table] }, /one table only/],
    ['a matrix of four dimensions', { score: 1, score_matrix: [[[[1]]]] }, /Row 1 .* has a cell/],
    ['rows and lists of rows', { score: 1, score_matrix: [[1], [[2]]] }, /Row 2 .* has a cell/],
    ['a boolean in a cell', { score: 1, score_matrix: [[1], [true]] }, /Row 2 .* has a cell/],
    ['a cell without a value', { score: 1, score_matrix: [[{ positive_metric: true }]] }, /Row 1 .* has a cell/],
    [
      'a metric that is neither',
      { score: 1, score_matrix: [[{ value: 1, positive_metric: 'no' }]] },
      /Row 1 .* has a cell/,
    ],
  ])('refuses %s', (_, returned, message) => {
    expect(() => readCustomScore(returned)).toThrow(message);
  });
});
