import { describe, expect, it } from 'vitest';
import { callOf, kindOf, told } from './conventions.fixture.js';
import { Convention } from './conventions.js';
import { declaredWords } from './words.js';

describe('the words that a convention declares', () => {
  it('are known to all readers', () => {
    const attributes = {
      'house.model': 'gpt-4o-mini',
      'house.tokens.prompt_tokens': 10,
      'house.tokens.completionTokens': 5,
      'house.tokens.input_tokens.cached': 4,
      'house.paid_usd': 0.5,
      'house.answer': 'Sunny',
      'house.who': 'u',
    };
    expect(kindOf(attributes)).toBeNull();
    Convention({
      name: 'house',
      order: 5,
      words: {
        model: { requested: ['house.model'], called: ['house.model'] },
        usage: { prefixes: ['house.tokens.'] },
        cost: { totals: ['house.paid_usd'] },
        user: ['house.who'],
        values: { output: ['house.answer'] },
      },
    })(class {});
    const call = callOf(attributes);
    expect(call).toMatchObject({
      model: 'gpt-4o-mini',
      usage: { input: 10, output: 5, cached: 4 },
      reportedPrice: 0.5,
      metadata: { user_id: 'u' },
    });
    expect(told(call.output)).toEqual(['assistant: Sunny']);
  });

  it('come after those of OpenTelemetry, in the order of conventions', () => {
    const ranks = declaredWords().map(({ rank }) => rank);
    expect(declaredWords()[0]!.name).toBe('gen-ai');
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });
});
