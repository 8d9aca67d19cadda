import { describe, expect, it } from 'vitest';
import { completeNumbers } from './call-numbers.js';
import type { CallNumbers } from './incoming-span.js';

interface Told {
  model?: string;
  answeredBy?: string;
  input?: number | null;
  output?: number | null;
  cached?: number;
  cost?: number | null;
  reported?: number;
}

function numbers(told: Told): CallNumbers {
  const { model = 'gpt-4o-mini', answeredBy = null, input = null, output = null, cached = null, reported } = told;
  return {
    provider: model === 'unknown' ? 'unknown' : 'openai',
    model,
    answeredBy,
    usage: { input, output, cached, cacheWrite: null, thinking: null, cacheExclusive: false },
    reportedPrice: reported ?? null,
    cost: reported ?? told.cost ?? null,
  };
}

const COUNTED = { input: 10, output: 5, cached: 4, cost: 0.25 };

const COMPLETED: [name: string, log: Told, span: Told, expected: Told][] = [
  ['nothing, the span tokens and a price', {}, COUNTED, COUNTED],
  ['zero tokens and their price', { input: 0, output: 0, cost: 0 }, COUNTED, COUNTED],
  ['nothing, the span tokens of a model without a price', {}, { input: 10, output: 5 }, { input: 10, output: 5 }],
  ['zero tokens, the span tokens without a price', { input: 0, output: 0, cost: 0 }, { input: 1 }, { input: 1 }],
  ['a price of its own', { reported: 0.5 }, COUNTED, { ...COUNTED, reported: 0.5 }],
  ['tokens, the span the price of as many', { input: 9, output: 5 }, COUNTED, { input: 9, output: 5, cost: 0.25 }],
  ['tokens, the span a price alone', { input: 9, output: 5 }, { reported: 1 }, { input: 9, output: 5, reported: 1 }],
  ['nothing, the span a price alone', {}, { reported: 1 }, { reported: 1 }],
  ['no model', { model: 'unknown' }, COUNTED, COUNTED],
  [
    'a model that the span names with its date',
    {},
    { ...COUNTED, model: 'gpt-4o-mini-2024-07-18' },
    { ...COUNTED, model: 'gpt-4o-mini' },
  ],
  [
    'another deployment of the same model',
    { model: 'ours', answeredBy: 'gpt-4o-mini' },
    COUNTED,
    { ...COUNTED, model: 'ours', answeredBy: 'gpt-4o-mini' },
  ],
];

const LEFT_ALONE: [name: string, log: Told, span: Told][] = [
  ['has all numbers', { input: 1, output: 1, cost: 0.1 }, COUNTED],
  ['is of another model', { model: 'gpt-4o' }, COUNTED],
  ['has tokens but no price, and the span counts others', { input: 1, output: 1 }, COUNTED],
  ['has as few numbers as the span', {}, { input: 0, output: 0, cost: 0 }],
];

describe('the numbers of a log that was reported for a span', () => {
  it.each(COMPLETED)('are completed by those of the span where the log has %s', (_name, log, span, expected) => {
    expect(completeNumbers(numbers(log), numbers(span))).toEqual(numbers(expected));
  });

  it.each(LEFT_ALONE)('stay as they are where the log %s', (_name, log, span) => {
    expect(completeNumbers(numbers(log), numbers(span))).toBeNull();
  });
});
