import { describe, expect, it } from 'vitest';
import { expectedAt, keptScorers, newScorer, requireFields, stepOf, type TemplateName, TEMPLATES } from './scorers';

const made = (template: TemplateName, config: object = {}) => {
  const scorer = newScorer(template);
  const filled = { ...scorer, config: { ...scorer.config, ...config } };
  requireFields(filled);
  return stepOf(filled, { output: 'Answer', before: [] });
};

describe('a scorer from a template', () => {
  it.each(['pattern', 'structure', 'judge'] as const)('gives %s working defaults for the outputs', (template) => {
    expect(made(template)).toMatchObject({
      title: TEMPLATES[template].make().title,
      primitive_config: { source: 'Answer' },
    });
  });

  it('asks for what has no good default', () => {
    expect(() => made('equals')).toThrow('choose the column with the expected text');
    expect(() => made('contains')).toThrow('Contains: say what to look for.');
    expect(() => made('judge', { prompt: ' ' })).toThrow('Judge: say what to look for.');
  });

  it('compares the outputs with the expected text', () => {
    expect(made('equals', { sources: ['', 'expected'] })).toMatchObject({
      primitive_type: 'COMPARE',
      primitive_config: { sources: ['Answer', 'expected'] },
    });
  });
});

it('keeps the id of a step that is there, and the settings of one that no template knows', () => {
  const steps = [
    { id: 'a', title: 'Sorry', primitive_type: 'CONTAINS', primitive_config: { source: 'Output', value: 'sorry' } },
    { id: 'b', title: 'Short', primitive_type: 'COUNT', primitive_config: { source: 'Output', max_count: 9 } },
  ];
  const [contains, count] = keptScorers(steps);
  expect(stepOf(contains!, { output: 'Answer', before: [] })).toEqual(steps[0]);
  const moved = { output: 'Answer', before: ['id', 'Output'] };
  expect(stepOf(contains!, moved)).toEqual({ ...steps[0], primitive_config: { source: 'Answer', value: 'sorry' } });
  expect(stepOf(count!, moved)).toEqual(steps[1]);
});

it('finds the expected text of an existing comparison beside the outputs, and shows no fixed value', () => {
  const step = { id: 'a', title: 'Same', primitive_type: 'COMPARE' };
  const read = (config: object) => keptScorers([{ ...step, primitive_config: config as never }])[0]!;
  const [first, fixed] = [read({ sources: ['expected', 'Output'] }), read({ sources: ['Output'], target: 'Paris' })];
  expect([expectedAt(first, ['id', 'Output']), expectedAt(first, ['id', 'expected'])]).toEqual([0, 1]);
  expect(fixed.template).toBe('');
  expect(stepOf(first, { output: 'Answer', before: ['id', 'Output'] })).toMatchObject({
    primitive_config: { sources: ['expected', 'Answer'] },
  });
});
