import { describe, expect, it } from 'vitest';
import { keptScorers, newScorer, stepOf, type TemplateName, TEMPLATES } from './scorers';

const made = (template: TemplateName, config: object = {}) => {
  const scorer = newScorer(template);
  return stepOf({ ...scorer, config: { ...scorer.config, ...config } }, 'Answer');
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
  expect(stepOf(contains!, 'Answer')).toEqual({ ...steps[0], primitive_config: { source: 'Answer', value: 'sorry' } });
  expect(stepOf(count!, 'Answer')).toEqual(steps[1]);
});
