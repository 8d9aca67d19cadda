import { describe, expect, it } from 'vitest';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { REPORT_COLUMN_TYPES, shownValue, toReportColumnType } from './report-column-types.js';

describe('the types of the columns of reports', () => {
  it('are the 27 of the API, in any letter case', () => {
    expect(REPORT_COLUMN_TYPES).toHaveLength(27);
    expect(['contains', 'Contains', 'CONTAINS'].map(toReportColumnType)).toEqual(Array(3).fill('CONTAINS'));
  });

  it.each(['TEXT', 'DATASET', 'COMPOSITION', 'TRAJECTORY', 'FOR_LOOP', 'constructor', '', 'COMPARISON'])(
    'are not %j',
    (name) => {
      const { message } = EvaluationErrors.report_column_type_unknown(name, REPORT_COLUMN_TYPES);
      expect(() => toReportColumnType(name)).toThrow(message);
    },
  );
});

const yes = { value: true, reasoning: 'It says so.' };
const no = { value: false, reasoning: 'It does not.' };

describe('the value of a cell in reports', () => {
  it.each([
    ['one assertion', 'LLM_ASSERTION', { 'Is it polite?': yes }, true],
    ['one that does not hold', 'LLM_ASSERTION', { 'Is it polite?': no }, false],
    ['several assertions', 'LLM_ASSERTION', { 'A?': yes, 'B?': no }, { 'A?': true, 'B?': false }],
    ['plain verdicts', 'LLM_ASSERTION', { 'A?': true, 'B?': false }, { 'A?': true, 'B?': false }],
    ['a value without assertions', 'LLM_ASSERTION', null, null],
    ['a boolean', 'COMPARE', true, true],
    ['an object of another type', 'COMBINE_COLUMNS', { 'A?': yes }, { 'A?': yes }],
    ['false', 'CONTAINS', false, false],
    ['null', 'JSON_PATH', null, null],
    ['a type that is not known', 'TEXT', { a: { value: 1 } }, { a: { value: 1 } }],
  ])('%s', (_, type, value, shown) => {
    expect(shownValue(type, value)).toEqual(shown);
  });
});
