import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import { unwrapCell } from './unwrap-cell.js';

const deep = (levels: number): JsonValue => (levels === 0 ? true : { value: deep(levels - 1) });

describe('the values of a cell', () => {
  it.each<[string, JsonValue, JsonValue[]]>([
    ['a plain boolean', true, [true]],
    ['a plain number', 0, [0]],
    ['a plain text', 'Pass', ['Pass']],
    ['nothing', null, []],
    ['the empty text', '', []],
    ['blanks', ' \n', []],
    ['a value', { value: 3 }, [3]],
    ['a value in a value', { value: { value: 'yes' } }, ['yes']],
    ['a value beside a reason', { value: false, reasoning: 'It is too long.' }, [false]],
    ['a value that is null', { value: null }, []],
    ['a comparison', { comparison_result: false }, [false]],
    ['a comparison beside other booleans', { comparison_result: false, ignore_case: true }, [false]],
    ['a score', { score: 0.25, label: 'poor' }, [0.25]],
    ['a score of a value', { score: { value: 4 } }, [4]],
    ['a score beside a value', { score: 2, value: 'two' }, [2]],
    ['a map of assertions', { polite: true, short: false }, [true, false]],
    ['a map with a question that is called score', { score: true, tone: false }, [true, false]],
    [
      'what a judge answers',
      { 'Is it polite?': { value: true, reasoning: 'Yes.' }, 'Is it short?': { value: false } },
      [true, false],
    ],
    ['a map in a value', { value: { polite: true, short: true } }, [true, true]],
    ['a map in which one was not answered', { polite: true, short: null }, [true]],
    ['a map in which none was answered', { polite: null }, []],
    ['a list of assertions', [true, false, true], [true, false, true]],
    ['a list of judgements', [{ value: true }, { comparison_result: false }], [true, false]],
    ['a list of numbers', [1, 2], []],
    ['an empty list', [], []],
    ['an empty object', {}, []],
    ['an object that says nothing', { latency: 3, model: 'm' }, []],
    ['an object as JSON text', '{"score": 0.5}', [0.5]],
    ['assertions as JSON text', ' [true, false]', [true, false]],
    ['text that only begins like JSON', '{not json', ['{not json']],
    ['a number in a value as JSON text', { value: '{"value": 7}' }, [7]],
    ['many values in each other', deep(20), [true]],
    ['more values in each other than anybody means', deep(1000), []],
  ])('%s', (_, value, said) => {
    expect(unwrapCell(value)).toEqual(said);
  });
});
