import { describe, expect, it } from 'vitest';
import { keptDependencies, resolveReferences } from './references.js';

const QUESTION = { id: '11111111-1111-4111-8111-111111111111', title: 'Question' };
const ANSWER = { id: '22222222-2222-4222-8222-222222222222', title: 'Answer' };
const TWIN_A = { id: '33333333-3333-4333-8333-333333333333', title: 'Twin' };
const TWIN_B = { id: '44444444-4444-4444-8444-444444444444', title: 'Twin' };
const COLUMNS = [QUESTION, ANSWER, TWIN_A, TWIN_B];
const SOURCE = [{ key: 'source', shape: 'one' as const }];
const SOURCES = [{ key: 'sources', shape: 'list' as const }];
const INPUTS = [{ key: 'inputs', shape: 'map' as const, specialNames: ['loop_index'] }];
const inputEdge = (variable: string, source: { id: string }) => ({
  sourceId: source.id,
  configKey: 'inputs',
  configMeta: { variable_name: variable },
});

describe('resolveReferences', () => {
  it.each([
    ['a title', 'Question'],
    ['an id', QUESTION.id],
    ['an id in upper case', QUESTION.id.toUpperCase()],
  ])('finds a column by %s', (_, reference) => {
    expect(resolveReferences(SOURCE, { source: reference }, [], COLUMNS)).toEqual([
      { sourceId: QUESTION.id, configKey: 'source', configMeta: null },
    ]);
  });

  it('prefers the dependency given for the same place', () => {
    const given = [{ columnId: TWIN_B.id, configKey: 'source', configMeta: null }];
    expect(resolveReferences(SOURCE, { source: 'Twin' }, given, COLUMNS)).toEqual([
      { sourceId: TWIN_B.id, configKey: 'source', configMeta: null },
    ]);
  });

  it('keeps the places of a list, and finds dependencies by position', () => {
    const given = [{ columnId: TWIN_A.id, configKey: 'sources', configMeta: { position: 1 } }];
    expect(resolveReferences(SOURCES, { sources: ['Answer', 'Twin', ''] }, given, COLUMNS)).toEqual([
      { sourceId: ANSWER.id, configKey: 'sources', configMeta: { position: 0 } },
      { sourceId: TWIN_A.id, configKey: 'sources', configMeta: { position: 1 } },
    ]);
  });

  it('keeps the variables of a map, and finds dependencies by variable', () => {
    const given = [{ columnId: TWIN_A.id, configKey: 'inputs', configMeta: { variable_name: 'b', more: 1 } }];
    const inputs = { c: QUESTION.id, b: 'Twin', a: 'Answer', d: null, e: '', f: 'loop_index' };
    expect(resolveReferences(INPUTS, { inputs }, given, COLUMNS)).toEqual([
      inputEdge('a', ANSWER),
      inputEdge('b', TWIN_A),
      inputEdge('c', QUESTION),
    ]);
    expect(() => resolveReferences(INPUTS, { inputs }, [], COLUMNS)).toThrow(/inputs "b" refers to "Twin"/);
  });

  it('gives the same edges whatever the order of the variables', () => {
    const [one, other] = [
      { b: 'Answer', a: 'Question' },
      { a: 'Question', b: 'Answer' },
    ];
    expect(resolveReferences(INPUTS, { inputs: one }, [], COLUMNS)).toEqual(
      resolveReferences(INPUTS, { inputs: other }, [], COLUMNS),
    );
  });

  it('keeps further dependencies, which affect only order and staleness', () => {
    const given = [{ columnId: ANSWER.id, configKey: null, configMeta: null }];
    expect(resolveReferences(SOURCE, { source: null }, given, COLUMNS)).toEqual([
      { sourceId: ANSWER.id, configKey: null, configMeta: null },
    ]);
  });

  it('reads nothing where the config names nothing', () => {
    expect(resolveReferences(SOURCE, { source: '' }, [], COLUMNS)).toEqual([]);
    expect(resolveReferences(SOURCE, {}, [], COLUMNS)).toEqual([]);
  });

  it('refuses titles that no column or several columns have, and ids of other sheets', () => {
    expect(() => resolveReferences(SOURCE, { source: 'Nobody' }, [], COLUMNS)).toThrow(
      /"Nobody", which is not a column/,
    );
    expect(() => resolveReferences(SOURCE, { source: 'Twin' }, [], COLUMNS)).toThrow(/several columns/);
    const foreign = [{ columnId: '55555555-5555-4555-8555-555555555555', configKey: 'source', configMeta: null }];
    expect(() => resolveReferences(SOURCE, { source: 'Question' }, foreign, COLUMNS)).toThrow(
      /not a column of this sheet/,
    );
  });
});

describe('keptDependencies', () => {
  const edge = { sourceId: TWIN_A.id, configKey: 'source', configMeta: null };
  const order = { sourceId: ANSWER.id, configKey: null, configMeta: null };
  const before = { fields: SOURCE, config: { source: 'Twin', value: 1 }, edges: [edge, order] };
  const kept = { columnId: TWIN_A.id, configKey: 'source', configMeta: null };
  const keptOrder = { columnId: ANSWER.id, configKey: null, configMeta: null };
  const given = { columnId: QUESTION.id, configKey: 'source', configMeta: null };

  it.each([
    ['the source of a place that says the same, and what only orders', { source: 'Twin' }, null, [kept, keptOrder]],
    ['no source of a place that says something else', { source: 'Answer' }, null, [keptOrder]],
    ['nothing that only orders when dependencies are given', { source: 'Twin' }, [], [kept]],
    ['no source of a place for which another is given', { source: 'Twin' }, [given], [given]],
  ])('keeps %s', (_, config, dependencies, expected) => {
    expect(keptDependencies(before, { fields: SOURCE, config }, dependencies)).toEqual(expected);
  });

  it('lets a config name a column in a place that was empty and had a dependency', () => {
    const empty = { ...before, config: { source: null } };
    expect(keptDependencies(empty, { fields: SOURCE, config: { source: 'Answer' } }, null)).toEqual([keptOrder]);
    expect(keptDependencies(empty, { fields: SOURCE, config: { source: null } }, null)).toEqual([kept, keptOrder]);
  });

  it('keeps the sources of unchanged variables', () => {
    const edges = [inputEdge('a', TWIN_A), inputEdge('b', TWIN_B)];
    const mapped = { fields: INPUTS, config: { inputs: { a: 'Twin', b: 'Twin' } }, edges };
    const now = { fields: INPUTS, config: { inputs: { a: 'Twin', b: 'Answer', c: 'Question' } } };
    const { sourceId: columnId, ...place } = edges[0]!;
    expect(keptDependencies(mapped, now, null)).toEqual([{ columnId, ...place }]);
  });

  it('drops the sources of a type that had other places', () => {
    expect(keptDependencies(before, { fields: SOURCES, config: {} }, null)).toEqual([keptOrder]);
  });
});
