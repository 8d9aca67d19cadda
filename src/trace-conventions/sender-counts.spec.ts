import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { callOf, kindOf } from './conventions.fixture.js';

const json = JSON.stringify;

/** Attributes that most senders set on a call. */
const CALL = { 'gen_ai.request.model': 'claude-sonnet-4-5', 'gen_ai.provider.name': 'anthropic' };

/** The counts of a call as `input, output, cached, written, thinking`, and whether the cache lies beside the input. */
function countsOf(attributes: JsonObject, name = 'chat'): unknown[] {
  const { input, output, cached, cacheWrite, thinking, cacheExclusive } = callOf(attributes, { name }).usage;
  return [input, output, cached, cacheWrite, thinking, cacheExclusive];
}

/** The counts of one call in the words of each sender. */
const SENDERS: [sender: string, attributes: JsonObject][] = [
  [
    'OpenTelemetry',
    {
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.usage.cache_read.input_tokens': 500,
      'gen_ai.usage.cache_creation.input_tokens': 100,
      'gen_ai.usage.reasoning.output_tokens': 50,
    },
  ],
  [
    'OpenRouter',
    {
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.usage.input_tokens.cached': 500,
      'gen_ai.usage.input_tokens.cache_write': 100,
      'gen_ai.usage.output_tokens.reasoning': 50,
    },
  ],
  [
    'Sentry as it was',
    {
      'ai.prompt_tokens.used': 900,
      'ai.completion_tokens.used': 200,
      'ai.total_tokens.used': 1100,
      'gen_ai.usage.input_tokens.cached': 500,
      'gen_ai.usage.input_tokens.cache_write': 100,
      'gen_ai.usage.output_tokens.reasoning': 50,
    },
  ],
  [
    'OpenLIT',
    {
      'gen_ai.usage.prompt_tokens': 900,
      'gen_ai.usage.completion_tokens': 200,
      'gen_ai.usage.prompt_tokens_details.cache_read': 500,
      'gen_ai.usage.prompt_tokens_details.cache_write': 100,
      'gen_ai.usage.completion_tokens_details.reasoning': 50,
    },
  ],
  [
    'OpenAI, flattened',
    {
      'gen_ai.usage.prompt_tokens': 900,
      'gen_ai.usage.completion_tokens': 200,
      'gen_ai.usage.prompt_tokens_details.cached_tokens': 500,
      'gen_ai.usage.prompt_tokens_details.cache_write_tokens': 100,
      'gen_ai.usage.completion_tokens_details.reasoning_tokens': 50,
    },
  ],
  [
    'OpenAI, details as objects',
    {
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.usage.input_tokens_details': { cached_tokens: 500, cache_write_tokens: 100 },
      'gen_ai.usage.output_tokens_details': json({ reasoning_tokens: 50 }),
    },
  ],
  [
    'usage as one object',
    {
      'gen_ai.usage': json({
        prompt_tokens: 900,
        completion_tokens: 200,
        prompt_tokens_details: { cached_tokens: 500, cache_write_tokens: 100 },
        completion_tokens_details: { reasoning_tokens: 50 },
      }),
    },
  ],
  [
    'OpenLLMetry',
    {
      'gen_ai.usage.prompt_tokens': 900,
      'gen_ai.usage.completion_tokens': 200,
      'llm.usage.total_tokens': 1100,
      'gen_ai.usage.cache_read_input_tokens': 500,
      'gen_ai.usage.cache_creation_input_tokens': 100,
      'gen_ai.usage.reasoning_tokens': 50,
    },
  ],
  [
    'OpenLLMetry with its own prefix',
    {
      'llm.usage.prompt_tokens': 900,
      'llm.usage.completion_tokens': 200,
      'llm.usage.cache_read_input_tokens': 500,
      'llm.usage.cache_creation_input_tokens': 100,
      'llm.usage.reasoning_tokens': 50,
    },
  ],
  [
    'OpenInference',
    {
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': 900,
      'llm.token_count.completion': 200,
      'llm.token_count.prompt_details.cache_read': 500,
      'llm.token_count.prompt_details.cache_write': 100,
      'llm.token_count.completion_details.reasoning': 50,
    },
  ],
  [
    'Pydantic AI',
    {
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.usage.details.cache_read_tokens': 500,
      'gen_ai.usage.details.cache_write_tokens': 100,
      'gen_ai.usage.details.reasoning_tokens': 50,
    },
  ],
  [
    'Semantic Kernel as it was',
    {
      'gen_ai.response.prompt_tokens': 900,
      'gen_ai.response.completion_tokens': 200,
      'gen_ai.response.cached_prompt_tokens': 500,
      'gen_ai.response.cache_creation_tokens': 100,
      'gen_ai.response.reasoning_tokens': 50,
    },
  ],
  [
    'the Vercel AI SDK',
    {
      'ai.usage.inputTokens': 900,
      'ai.usage.outputTokens': 200,
      'ai.usage.cachedInputTokens': 500,
      'ai.usage.inputTokenDetails.cacheWriteTokens': 100,
      'ai.usage.reasoningTokens': 50,
    },
  ],
  [
    'LangSmith',
    {
      'langsmith.span.kind': 'llm',
      'langsmith.usage_metadata': json({
        input_tokens: 900,
        output_tokens: 200,
        total_tokens: 1100,
        input_token_details: { cache_read: 500, cache_creation: 100 },
        output_token_details: { reasoning: 50 },
      }),
    },
  ],
  [
    'MLflow',
    {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.chat.tokenUsage': json({
        input_tokens: 900,
        output_tokens: 200,
        total_tokens: 1100,
        cache_read_input_tokens: 500,
        cache_creation_input_tokens: 100,
        reasoning_tokens: 50,
      }),
    },
  ],
  [
    'Langfuse in the form of OpenAI',
    {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.usage_details': json({
        prompt_tokens: 900,
        completion_tokens: 200,
        total_tokens: 1100,
        prompt_tokens_details: { cached_tokens: 500, cache_creation_tokens: 100 },
        completion_tokens_details: { reasoning_tokens: 50 },
      }),
    },
  ],
  [
    'LiveKit',
    {
      'lk.llm_metrics': json({
        prompt_tokens: 900,
        completion_tokens: 200,
        total_tokens: 1100,
        prompt_cached_tokens: 500,
        cache_creation_tokens: 100,
        reasoning_tokens: 50,
      }),
    },
  ],
  [
    'Braintrust',
    {
      'braintrust.span_attributes': json({ type: 'llm' }),
      'braintrust.metrics': json({
        prompt_tokens: 900,
        completion_tokens: 200,
        tokens: 1100,
        prompt_cached_tokens: 500,
        prompt_cache_creation_tokens: 100,
        completion_reasoning_tokens: 50,
      }),
    },
  ],
  [
    'Codex',
    {
      'codex.turn.token_usage.input_tokens': 900,
      'codex.turn.token_usage.output_tokens': 200,
      'codex.turn.token_usage.cached_input_tokens': 500,
      'codex.turn.token_usage.cache_write_input_tokens': 100,
      'codex.turn.token_usage.reasoning_output_tokens': 50,
    },
  ],
  [
    'Gemini CLI',
    {
      input_token_count: 900,
      output_token_count: 200,
      cached_content_token_count: 500,
      cache_write_tokens: 100,
      thoughts_token_count: 50,
    },
  ],
  [
    'names without a prefix in camelCase',
    { promptTokens: 900, completionTokens: 200, cachedTokens: 500, cacheCreationTokens: 100, reasoningTokens: 50 },
  ],
  [
    'LangWatch',
    {
      'langwatch.span.type': 'llm',
      'langwatch.metrics': json({
        type: 'json',
        value: {
          promptTokens: 900,
          completionTokens: 200,
          cachedTokens: 500,
          cacheCreationTokens: 100,
          reasoningTokens: 50,
        },
      }),
    },
  ],
  [
    'Judgment',
    {
      'judgment.span_kind': 'llm',
      'judgment.usage.input_tokens': 900,
      'judgment.usage.output_tokens': 200,
      'judgment.usage.cache_read_input_tokens': 500,
      'judgment.usage.cache_creation_input_tokens': 100,
      'judgment.usage.reasoning_tokens': 50,
    },
  ],
];

describe('the tokens of a call', () => {
  it.each(SENDERS)('are read in the words of %s', (_, attributes) => {
    expect(countsOf({ ...CALL, ...attributes })).toEqual([900, 200, 500, 100, 50, false]);
  });

  it('are beside each other in the words of Claude Code', () => {
    const attributes = {
      model: 'claude-sonnet-4-5',
      'span.type': 'llm_request',
      input_tokens: 5000,
      output_tokens: 200,
      cache_read_tokens: 3000,
      cache_creation_tokens: 1000,
    };
    expect(countsOf(attributes, 'claude_code.llm_request')).toEqual([5000, 200, 3000, 1000, null, true]);
    expect(callOf(attributes, { name: 'claude_code.llm_request' })).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
    });
  });

  it('make no call of other spans of Claude Code', () => {
    const attributes = { 'gen_ai.request.model': 'claude-sonnet-4-5', input_tokens: 10 };
    const kinds = ['interaction', 'tool', 'tool.execution', 'hook'].map((kind) =>
      kindOf(attributes, { name: `claude_code.${kind}` }),
    );
    expect(kinds).toEqual(['LLM_SESSION', 'TOOL', 'TOOL', 'CODE_EXECUTION']);
  });

  it('are beside each other in the usage of Langfuse, unless its total says otherwise', () => {
    const usage = { input: 900, input_cached_tokens: 500, output: 200, output_reasoning_tokens: 50 };
    const read = (more: JsonObject) =>
      countsOf({
        ...CALL,
        'langfuse.observation.type': 'generation',
        'langfuse.observation.usage_details': json({ ...usage, ...more }),
      });
    expect(read({})).toEqual([900, 200, 500, null, 50, true]);
    expect(read({ total: 1650 })).toEqual([900, 250, 500, null, 50, true]);
    expect(read({ total: 1100 })).toEqual([900, 200, 500, null, 50, false]);
    expect(read({ total: 1150 })).toEqual([900, 250, 500, null, 50, false]);
    expect(read({ total: 1600 })).toEqual([900, 200, 500, null, 50, true]);
  });
});
