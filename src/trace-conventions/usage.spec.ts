import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { attributesOf } from './test-span.fixture.js';
import { readReportedPrice } from './costs.js';
import { readUsage, reportsUsage } from './usage.js';

const NOTHING = { input: null, output: null, cached: null, cacheWrite: null, thinking: null, cacheExclusive: false };

describe('readUsage', () => {
  it.each<[JsonObject, Partial<typeof NOTHING> | object]>([
    [{ 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.prompt_tokens': 99 }, { input: 10 }],
    [
      { 'gen_ai.usage.prompt_tokens': 10, 'gen_ai.usage.completion_tokens': 5 },
      { input: 10, output: 5 },
    ],
    [
      { 'llm.usage.prompt_tokens': '10', 'llm.usage.completion_tokens': '5' },
      { input: 10, output: 5 },
    ],
    [
      { 'gen_ai.usage.total_tokens': 15, 'gen_ai.usage.output_tokens': 5 },
      { input: 10, output: 5 },
    ],
    [{ 'gen_ai.usage.total_tokens': 15 }, {}],
    [
      { 'openai.request.service_tier': 'auto', 'openai.response.service_tier': 'priority' },
      { serviceTier: 'priority' },
    ],
    [{ 'openai.request.service_tier': 'flex', 'openai.response.service_tier': 'default' }, {}],
    [{ 'gen_ai.usage.input_tokens': 0 }, { input: 0 }],
    [{ 'gen_ai.usage.cache_read.input_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.cache_read_input_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.details.cache_read_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.cached_input_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.details.cached_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.details.cached_content_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.details.cache_read_input_tokens': 4 }, { cached: 4 }],
    [{ 'gen_ai.usage.input_token_details': '{"cache_read":4}' }, { cached: 4 }],
    [{ 'gen_ai.usage.input_token_details': { cache_read: 4 } }, { cached: 4 }],
    [{ 'gen_ai.usage.cache_creation.input_tokens': 4 }, { cacheWrite: 4 }],
    [{ 'gen_ai.usage.cache_creation_input_tokens': 4 }, { cacheWrite: 4 }],
    [{ 'gen_ai.usage.cache_write.input_tokens': 4 }, { cacheWrite: 4 }],
    [{ 'gen_ai.usage.cache_write_input_tokens': 4 }, { cacheWrite: 4 }],
    [{ 'gen_ai.usage.details.cache_write_tokens': 4 }, { cacheWrite: 4 }],
    [{ 'gen_ai.usage.details.cache_creation_input_tokens': 4 }, { cacheWrite: 4 }],
    [{ 'gen_ai.usage.reasoning.output_tokens': 4 }, { thinking: 4 }],
    [{ 'gen_ai.usage.reasoning_tokens': 4 }, { thinking: 4 }],
    [{ 'gen_ai.usage.details.reasoning_tokens': 4 }, { thinking: 4 }],
    [{ 'gen_ai.usage.details.thoughts_tokens': 4 }, { thinking: 4 }],
    [{ 'gen_ai.usage.output_token_details': '{"reasoning":4}' }, { thinking: 4 }],
    [{ 'ai.usage.reasoningTokens': 4 }, { thinking: 4 }],
    [{ 'ai.usage.outputTokenDetails.reasoningTokens': 4 }, { thinking: 4 }],
    [{ 'langsmith.usage_metadata': '{"input_tokens":1,"output_tokens":2}' }, { input: 1, output: 2 }],
    [{ 'gen_ai.usage.input_tokens': -1, 'gen_ai.usage.prompt_tokens': 3 }, { input: 3 }],
    [{ 'gen_ai.usage.input_tokens': 'many', 'gen_ai.usage.output_tokens': '' }, {}],
    [{ 'gen_ai.usage.input_tokens': 1e300, 'gen_ai.usage.output_tokens': true }, {}],
  ])('reads %j', (attributes, expected) => {
    expect(readUsage(attributesOf(attributes))).toEqual({ ...NOTHING, ...expected });
  });

  it('counts audio separately', () => {
    const image = { input: 0, cached: 0, output: 0 };
    expect(
      readUsage(
        attributesOf({
          'llm.token_count.prompt_details.audio': 8,
          'llm.token_count.completion_details.audio': 4,
          'gen_ai.usage.details.cache_audio_read_tokens': 2,
        }),
      ).media,
    ).toEqual({ audio: { input: 8, cached: 2, output: 4 }, image });
  });

  it.each([
    [10, 4, 6, false],
    [10, 8, 6, true],
    [10, 0, 0, false],
  ])(
    'with %d input, %d cached and %d written tokens, leaves the cached out of the input: %s',
    (input, read, write, exclusive) => {
      const attributes = {
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.cache_read_input_tokens': read,
        'gen_ai.usage.cache_creation_input_tokens': write,
      };
      expect(readUsage(attributesOf(attributes)).cacheExclusive).toBe(exclusive);
    },
  );
});

describe('reportsUsage', () => {
  it.each<[JsonObject, boolean]>([
    [{ 'gen_ai.usage.input_tokens': 0 }, true],
    [{ 'llm.usage.completion_tokens': 1 }, true],
    [{ 'gen_ai.usage.total_tokens': 15 }, true],
    [{ 'llm.token_count.total': '15' }, true],
    [{ 'gen_ai.usage.total_tokens': 'many' }, false],
    [{ 'gen_ai.usage.cost': 0.5 }, false],
  ])('gives for %j: %s', (attributes, reported) => {
    expect(reportsUsage(attributesOf(attributes))).toBe(reported);
  });
});

describe('what a convention implied', () => {
  const implied = {
    'gen_ai.usage.input_tokens': 90,
    'gen_ai.usage.output_tokens': 91,
    'gen_ai.usage.cache_read.input_tokens': 92,
    'gen_ai.usage.cost': 93,
  };
  const read = (attributes: JsonObject) => attributesOf(attributes).withImplied(implied);

  it('counts where attributes say nothing', () => {
    expect(readUsage(read({}))).toMatchObject({ input: 90, output: 91, cached: 92 });
    expect(readReportedPrice(read({}))).toBe(93);
  });

  it('comes after attributes of any name', () => {
    const attributes = {
      'llm.usage.prompt_tokens': 3,
      'ai.usage.completionTokens': 2,
      'gen_ai.usage.input_token_details': '{"cache_read":1}',
      'operation.cost': 0.5,
    };
    expect(readUsage(read(attributes))).toMatchObject({ input: 3, output: 2, cached: 1 });
    expect(readReportedPrice(read(attributes))).toBe(0.5);
  });

  it('comes after what follows from the total', () => {
    expect(readUsage(read({ 'llm.usage.total_tokens': 9, 'llm.usage.completion_tokens': 2 })).input).toBe(7);
  });
});

describe('readReportedPrice', () => {
  it.each<[JsonObject, number | null]>([
    [{ 'gen_ai.usage.cost': 0.5, 'llm.cost.total': 9 }, 0.5],
    [{ 'gen_ai.cost.total_cost': '0.5' }, 0.5],
    [{ 'operation.cost': 0.25 }, 0.25],
    [{ 'gen_ai.usage.input_cost': 0.25, 'gen_ai.usage.output_cost': 0.5 }, 0.75],
    [{ 'llm.cost.prompt': 0.25 }, 0.25],
    [{ 'llm.cost.total': 0.5, 'operation.cost': 9, 'llm.cost.prompt': 9 }, 0.5],
    [{ 'langfuse.observation.cost_details': '{"total":0.5,"input":9}' }, 0.5],
    [{ 'langfuse.observation.cost_details': '{"input":0.25,"output":0.5}' }, 0.75],
    [{ 'gen_ai.usage.cost': 0, 'llm.cost.total': 0.5 }, 0.5],
    [{ 'gen_ai.usage.cost': -1, 'operation.cost': '0.5' }, 0.5],
    [{ 'gen_ai.usage.cost': 0, 'llm.cost.total': 0, 'llm.cost.completion': 0.5 }, 0.5],
    [{ 'gen_ai.usage.cost': 0 }, null],
    [{ 'gen_ai.usage.cost': -1 }, null],
    [{ 'gen_ai.usage.cost': 'free' }, null],
    [{}, null],
  ])('reads %j as %s', (attributes, price) => {
    expect(readReportedPrice(attributesOf(attributes))).toBe(price);
  });
});
