import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { AllColumnType } from './all.column-type.js';
import { AnyColumnType } from './any.column-type.js';
import { cellOf, endSandbox, listed, parsed } from './column-types.fixture.js';

afterAll(endSandbox);

describe('ALL and ANY', () => {
  it.each<[sources: JsonValue[], all: boolean | null, any: boolean | null]>([
    [[true], true, true],
    [[false], false, false],
    [[null], null, null],
    [[''], null, null],
    [[' '], null, null],
    [[true, true], true, true],
    [[true, false], false, true],
    [[false, false], false, false],
    [[true, null], null, true],
    [[false, null], false, null],
    [[null, false, true], false, true],
    [['Yes', ' TRUE ', '1', 1], true, true],
    [['no', 'False', '0', 0], false, false],
    [['yes', 'no'], false, true],
  ])('read %j as %j and %j', async (sources, all, any) => {
    expect(await cellOf(AllColumnType, { sources })).toEqual({ value: all });
    expect(await cellOf(AnyColumnType, { sources })).toEqual({ value: any });
  });

  it.each<[JsonValue, string]>([
    ['maybe', '"maybe"'],
    [2, '"2"'],
    [[true], '"[true]"'],
    [{}, '"{}"'],
  ])('fail on %j and name the column, with any other values', async (value, shown) => {
    for (const type of [AllColumnType, AnyColumnType]) {
      for (const other of [true, false, null]) {
        const cell = await cellOf(type, { sources: [other, value] }, listed(['First'], ['Second']));
        expect(cell).toEqual({ error: `"Second" is neither true nor false: ${shown}.` });
      }
    }
  });

  it('need at least one source', () => {
    for (const type of [AllColumnType, AnyColumnType]) {
      const wrong: JsonObject[] = [{}, { sources: [] }, { sources: 'A' }, { sources: null }];
      for (const config of wrong) {
        expect(() => parsed(type, config)).toThrow();
      }
      expect(parsed(type, { sources: ['A'] })).toEqual({ sources: ['A'] });
    }
  });
});
