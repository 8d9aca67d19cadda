import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import type { ModelCall, ModelProviderPlugin } from './model-provider.js';
import { ModelProvider } from './model-providers.js';
import type { ParameterNames } from '../formats/shared/parameters.js';
import { assistant, call, chat, completion, message, system, toolCall, user } from './prompts.fixture.js';
import { providers, startProviders } from './providers.fixture.js';

@ModelProvider({ name: 'house', defaultApiType: 'talk' })
class HouseProvider implements ModelProviderPlugin {
  toKwargs({ model, apiType }: ModelCall): JsonObject {
    return { model, apiType, nothing: null, list: [] };
  }

  parameterNames(): ParameterNames {
    return { maxTokens: ['length'] };
  }
}

@ModelProvider({ name: 'openai' })
class SecondOpenAiProvider extends HouseProvider {}

describe('model providers', () => {
  it('may come from outside', async () => {
    const extended = await startProviders(HouseProvider);
    expect(extended.kwargs('House', call(chat([])))).toEqual({ model: 'model-1', apiType: 'talk' });
    expect(extended.overrideParameters({ provider: 'house', apiType: null }, {}, { max_tokens: 1 })).toEqual({
      length: 1,
    });
  });

  it('may not share a name', async () => {
    await expect(startProviders(SecondOpenAiProvider)).rejects.toThrow('Two model provider plugins are named openai');
  });

  it.each([
    ['openai', null, 'chat-completions'],
    ['openai', '', 'chat-completions'],
    ['openai.azure', null, 'chat-completions'],
    [' OpenAI ', null, 'chat-completions'],
    ['openai', 'chat.completions', 'chat-completions'],
    ['openai', 'responses', 'responses'],
    ['openai', 'images', 'images'],
    ['anthropic', null, null],
    ['openrouter', 'speech', 'speech'],
    ['elsewhere', null, null],
    ['elsewhere', 'chat.completions', 'chat-completions'],
    ['__proto__', null, null],
  ])('call the API of %s for %j %j', (provider, given, expected) => {
    expect(providers.apiType(provider, given)).toBe(expected);
  });
});

describe('the arguments of a call that is made as it is', () => {
  const instructions = chat([system('Be brief.'), message('developer', 'Be kind.')]);
  const said = (kwargs: JsonObject) => JSON.stringify(kwargs);

  it.each(['anthropic', 'anthropic.bedrock', 'amazon.bedrock', 'google', 'vertexai', 'mistral'])(
    'have a user who says the instructions, where %s wants one',
    (provider) => {
      const model = provider === 'vertexai' ? 'gemini-2.5-pro' : 'model-1';
      const spoken = call(chat([user('Be brief.', 'Be kind.')]), { model });
      const kwargs = providers.callKwargs(provider, call(instructions, { model }));
      if (provider === 'mistral') expect(said(kwargs)).not.toContain('system');
      else expect(kwargs).toEqual(providers.kwargs(provider, spoken));
    },
  );

  it.each(['openai', 'openai.azure', 'cohere', 'openrouter', 'elsewhere'])(
    'are those that clients get, with %s',
    (provider) => {
      expect(providers.callKwargs(provider, call(instructions))).toEqual(
        providers.kwargs(provider, call(instructions)),
      );
    },
  );

  it('leave a prompt with a message of a user unchanged', () => {
    const prompt = call(chat([system('Be brief.'), user('Hi')]));
    expect(providers.callKwargs('anthropic', prompt)).toEqual(providers.kwargs('anthropic', prompt));
  });

  it('turn a completion into a message', () => {
    expect(providers.callKwargs('anthropic', call(completion('Say x')))).toEqual(
      providers.kwargs('anthropic', call(chat([user('Say x')]))),
    );
  });
});

describe('overrides', () => {
  it.each<[string, string | null, JsonObject, JsonObject]>([
    ['openai', null, { maxOutputTokens: 5 }, { max_completion_tokens: 5 }],
    ['openai', 'chat.completions', { maxOutputTokens: 5 }, { max_completion_tokens: 5 }],
    ['openai.azure', 'responses', { maxTokens: 5, topP: 1 }, { max_output_tokens: 5, top_p: 1 }],
    ['openai', null, { max_tokens: 5 }, { max_tokens: 5 }],
    ['openai', null, { maxOutputTokens: 5, max_tokens: 6 }, { max_completion_tokens: 5, max_tokens: 6 }],
    ['openai', null, { max_completion_tokens: 6, maxOutputTokens: 5 }, { max_completion_tokens: 6 }],
    ['openai', null, { stop_sequences: ['a'], candidateCount: 2 }, { stop: ['a'], n: 2 }],
    ['openai', 'images', { maxOutputTokens: 5, size: 's' }, { maxOutputTokens: 5, size: 's' }],
    ['anthropic', null, { maxOutputTokens: 5, stop: 'a' }, { max_tokens: 5, stop_sequences: ['a'] }],
    ['anthropic', null, { seed: 1, my_own: 2 }, { seed: 1, my_own: 2 }],
    ['anthropic.bedrock', null, { max_completion_tokens: 5, topK: 3 }, { max_tokens: 5, top_k: 3 }],
    [
      'google',
      null,
      { max_tokens: 5, n: 2, stop: ['a'] },
      { max_output_tokens: 5, candidate_count: 2, stop_sequences: ['a'] },
    ],
    ['mistral', null, { maxOutputTokens: 5, seed: 1 }, { max_tokens: 5, random_seed: 1 }],
    ['cohere', null, { top_p: 0.5, topK: 3 }, { p: 0.5, k: 3 }],
    ['amazon.bedrock', null, { max_tokens: 5, top_p: 1, stop: 'a' }, { maxTokens: 5, topP: 1, stopSequences: ['a'] }],
    ['openrouter', null, { maxOutputTokens: 5, topK: 3 }, { max_tokens: 5, top_k: 3 }],
    ['huggingface', null, { maxNewTokens: 5 }, { max_tokens: 5 }],
    ['elsewhere', null, { maxOutputTokens: 5 }, { max_tokens: 5 }],
    ['openai', null, JSON.parse('{"__proto__":1,"constructor":2}'), JSON.parse('{"__proto__":1,"constructor":2}')],
  ])('for %s %j: %j', (provider, apiType, given, expected) => {
    const adapted = providers.overrideParameters({ provider, apiType }, {}, given);
    expect(JSON.stringify(adapted)).toBe(JSON.stringify(expected));
  });

  it('follow the model where a provider hosts those of several vendors', () => {
    const given = { maxOutputTokens: 5 };
    expect(providers.overrideParameters({ provider: 'vertexai', apiType: null }, {}, given)).toEqual({
      max_output_tokens: 5,
    });
    expect(providers.overrideParameters({ provider: 'vertexai', apiType: null, model: 'claude-4' }, {}, given)).toEqual(
      { max_tokens: 5 },
    );
    expect(providers.overrideParameters({ provider: 'vertexai', apiType: null, model: 'llama-4' }, {}, given)).toEqual({
      max_tokens: 5,
    });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['openai', { max_tokens: 1, top_p: 1 }, { maxOutputTokens: 5 }, { top_p: 1, max_tokens: 5 }],
    ['openai', { max_completion_tokens: 1 }, { max_tokens: 5 }, { max_tokens: 5 }],
    ['openai', { temperature: 1 }, { maxOutputTokens: 5 }, { temperature: 1, max_completion_tokens: 5 }],
    ['openai', { anything: 1 }, { anything: 2 }, { anything: 2 }],
    ['anthropic', { stop: ['a'] }, { stop: 'b' }, { stop_sequences: ['b'] }],
  ])('for %s replace %j by %j', (provider, stored, overrides, expected) => {
    expect(providers.overrideParameters({ provider, apiType: null }, stored, overrides)).toEqual(expected);
  });
});

describe('parameters of another provider', () => {
  const stored = { max_tokens: 5, temperature: 0, top_p: 1, stop: 'a', seed: 3, logit_bias: {}, model: 'gpt' };

  it.each<[string, string | null, JsonObject]>([
    ['anthropic', null, { max_tokens: 5, temperature: 0, top_p: 1, stop_sequences: ['a'] }],
    ['google', null, { max_output_tokens: 5, temperature: 0, top_p: 1, stop_sequences: ['a'], seed: 3 }],
    ['mistral', null, { max_tokens: 5, temperature: 0, top_p: 1, stop: 'a', random_seed: 3 }],
    ['cohere', null, { max_tokens: 5, temperature: 0, p: 1, stop_sequences: ['a'], seed: 3 }],
    ['amazon.bedrock', null, { maxTokens: 5, temperature: 0, topP: 1, stopSequences: ['a'] }],
    ['openai', 'responses', { max_output_tokens: 5, temperature: 0, top_p: 1 }],
    ['openai', 'images', {}],
    ['elsewhere', null, { max_tokens: 5, temperature: 0, top_p: 1, stop: 'a', seed: 3 }],
  ])('are translated for %s %j', (provider, apiType, expected) => {
    expect(providers.translateParameters({ provider, apiType }, stored)).toEqual(expected);
  });

  it('take the preferred name', () => {
    expect(providers.translateParameters({ provider: 'openai', apiType: null }, { maxTokens: 5 })).toEqual({
      max_completion_tokens: 5,
    });
  });
});

describe('broken prompts', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);

  it.each([undefined, '', 'no json', '"text"', '[1]', 'null', deep, `{"a":${deep}}`])(
    'with such arguments of a tool are calls without arguments: %.20s',
    (args) => {
      const prompt = chat([user('x'), assistant(null, toolCall('c', 'f', args))]);
      const { messages } = providers.kwargs('anthropic', call(prompt));
      expect(messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'x' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      ]);
    },
  );

  it('with text for content and nulls everywhere are read as far as they go', () => {
    const broken = JSON.parse(`{
      "type": "chat",
      "messages": [
        { "role": "user", "content": "plain" },
        { "role": "user", "content": [null, "x", { "type": 7 }, { "type": "text" }, { "type": "media", "media": null }] },
        { "role": "assistant", "tool_calls": [null, { "id": "a" }, { "function": { "name": null } }] },
        { "role": "tool" },
        { "role": "king", "content": "x" }
      ],
      "tools": [null, {}, { "type": "function" }, { "type": "function", "function": { "name": "f", "parameters": 3 } }],
      "tool_choice": 7
    }`) as never;
    expect(providers.kwargs('openai', call(broken))).toEqual({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'plain' }] },
        { role: 'tool', content: '', tool_call_id: 'call00001' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      model: 'model-1',
    });
    expect(providers.kwargs('anthropic', call(JSON.parse('{"type":"chat"}') as never))).toEqual({
      model: 'model-1',
      max_tokens: 4096,
    });
  });
});
