import type { SourceField } from './source-field.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import { placeFromMeta, placeLabel, placeToMeta, referencesIn } from './source-places.js';

const ONE: SourceField = { key: 'source', shape: 'one' };
const LIST: SourceField = { key: 'sources', shape: 'list' };
const MAP: SourceField = { key: 'inputs', shape: 'map', specialNames: ['loop_index'] };
const inMap = (variable: string) => ({ key: 'inputs', position: null, variable });

describe('the references of a config', () => {
  it('are its titles and ids, with their places', () => {
    const config = { source: 'A', sources: ['B', '', 'C'], inputs: { y: 'D', x: 'E' }, other: 'F' };
    expect(referencesIn([ONE, LIST, MAP], config)).toEqual([
      { key: 'source', position: null, variable: null, reference: 'A' },
      { key: 'sources', position: 0, variable: null, reference: 'B' },
      { key: 'sources', position: 2, variable: null, reference: 'C' },
      { ...inMap('x'), reference: 'E' },
      { ...inMap('y'), reference: 'D' },
    ]);
  });

  it('leave out variables of a map that are not connected or have a special name', () => {
    expect(referencesIn([MAP], { inputs: { a: null, b: '', c: 'loop_index', d: 'D' } })).toEqual([
      { ...inMap('d'), reference: 'D' },
    ]);
  });

  it.each(['__proto__', 'constructor', '', 'x'.repeat(300), 'größe 🌍'])('know a variable called %j', (variable) => {
    const config: JsonObject = { inputs: Object.fromEntries([[variable, 'A']]) };
    expect(referencesIn([MAP], config)).toEqual([{ ...inMap(variable), reference: 'A' }]);
  });

  it.each([null, 'text', 5, ['A']])('are none where a map is %j', (inputs) => {
    expect(referencesIn([MAP], { inputs })).toEqual([]);
  });
});

describe('the place of an edge', () => {
  it.each([
    [ONE, null],
    [LIST, { position: 3 }],
    [MAP, { variable_name: '__proto__' }],
  ])('is restored from the metadata of the edge: %j %j', (field, meta) => {
    expect(placeToMeta(placeFromMeta(field, meta)!)).toEqual(meta);
  });

  it.each([
    [LIST, null],
    [LIST, { position: 1.5 }],
    [LIST, { position: 1_000 }],
    [LIST, { variable_name: 'x' }],
    [MAP, null],
    [MAP, { variable_name: 1 }],
    [MAP, { position: 0 }],
  ])('is none where it does not fit the field: %j %j', (field, meta) => {
    expect(placeFromMeta(field, meta)).toBeNull();
  });
});

describe('the name of a place in a message', () => {
  it.each([
    ['outside a list', { key: 'source', position: null, variable: null }, 'source'],
    ['in a list', { key: 'sources', position: 2, variable: null }, 'sources'],
    ['in a map', inMap('name'), 'inputs "name"'],
    ['with a long name', inMap('🌍'.repeat(100)), `inputs "${'🌍'.repeat(100)}"`],
    ['with a longer name', inMap('🌍'.repeat(101)), `inputs "${'🌍'.repeat(100)}…"`],
    ['with an absurd name', inMap('x'.repeat(500_000)), `inputs "${'x'.repeat(100)}…"`],
  ])('that is %s', (_, place, label) => {
    expect(placeLabel(place)).toBe(label);
  });
});
