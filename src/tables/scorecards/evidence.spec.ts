import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import { evidenceOf, type Observation } from './evidence.js';

const observed = (more: Partial<Observation> = {}): Observation => ({
  sources: [{ title: 'Output', value: 'Paris' }],
  result: true,
  explanation: null,
  ...more,
});

describe('the evidence of a step', () => {
  it.each<[string, Observation, JsonValue]>([
    ['what was read and what came of it', observed(), 'Output: "Paris" → true'],
    [
      'what the type says',
      observed({ result: false, explanation: { count: 812 } }),
      'Output: "Paris" → false ({"count":812})',
    ],
    ['only the result of a step that reads nothing', observed({ sources: [] }), 'true'],
  ])('sums up %s', (_, observation, summary) => {
    expect(evidenceOf('summary', observation)).toBe(summary);
  });

  it('is short for any inputs, and cuts no character in half', () => {
    const value = `${'x'.repeat(78)}🌍${'y'.repeat(100_000)}`;
    const summary = evidenceOf('summary', observed({ sources: [{ title: 'Output', value }] })) as string;
    expect(summary.length).toBeLessThan(120);
    expect(summary.isWellFormed()).toBe(true);
  });

  it('is everything on request, under titles that differ', () => {
    const sources = [1, 2].map((value) => ({ title: 'A', value }));
    expect(evidenceOf('raw', observed({ sources, explanation: 'x' }))).toEqual({
      inputs: { A: 1, 'A (2)': 2 },
      result: true,
      explanation: 'x',
    });
  });

  it('can be hidden', () => {
    expect(evidenceOf('hidden', observed())).toBeNull();
  });
});
