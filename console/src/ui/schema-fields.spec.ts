import { describe, expect, it } from 'vitest';
import { filledIn, kindOf, labelOf, type Schema } from './schema-fields';

const group: Schema = {
  type: 'object',
  properties: {
    inline: { const: true },
    name: { type: 'string' },
    label: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['inline', 'name'],
};

it.each<[Schema, boolean, string]>([
  [{ type: 'string' }, false, 'text'],
  [{ type: ['string', 'null'], maxLength: 100_000 }, false, 'long-text'],
  [{ type: ['string', 'null'] }, true, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, true, 'choices'],
  [{ type: 'object' }, true, 'choice-map'],
  [{ type: 'string', enum: ['a', 'b'] }, false, 'options'],
  [{ const: true }, false, 'fixed'],
  [{ type: ['integer', 'null'] }, false, 'number'],
  [{ type: 'boolean' }, false, 'boolean'],
  [group, false, 'group'],
  [{ anyOf: [group, { type: 'null' }] }, false, 'group'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, false, 'json'],
  [{ type: 'object' }, false, 'json'],
  [{ type: 'array', items: { type: 'string' } }, false, 'json'],
])('a field of %j with choices: %s is filled in as %s', (schema, hasChoices, kind) => {
  expect(kindOf(schema, hasChoices)).toBe(kind);
});

describe('what was filled in', () => {
  const schema: Schema = { type: 'object', properties: { group, text: { type: 'string' }, on: { type: 'boolean' } } };

  it('has no empty texts and no empty groups', () => {
    expect(filledIn(schema, { text: '', group: { name: '' } })).toEqual({});
    expect(filledIn(schema, { text: 'x', on: false, group: { name: 'n', label: '' } })).toEqual({
      text: 'x',
      on: false,
      group: { inline: true, name: 'n' },
    });
  });

  it('has the keys of a group that the form does not know', () => {
    expect(filledIn(schema, { group: { name: '', later: 1 } })).toEqual({ group: { inline: true, later: 1 } });
  });

  it('has lists and maps that are required, although they are empty', () => {
    const must: Schema = { properties: { map: { type: 'object' }, list: { type: 'array' } }, required: ['map'] };
    expect(filledIn(must, {})).toEqual({ map: {} });
  });

  it('has the groups that are required', () => {
    expect(filledIn({ ...schema, required: ['group'] }, {})).toEqual({ group: { inline: true } });
  });
});

it('names fields in words', () => expect(labelOf('prompt_source')).toBe('Prompt source'));
