import { describe, expect, it } from 'vitest';
import type { Prompt } from '../shared/blueprint.js';
import { assistant, chat, toolCall } from '../providers/prompts.fixture.js';
import { providers } from '../providers/providers.fixture.js';
import { toNativeAnswer } from './native-answer.js';
import { readNativeCall } from './formats.js';

const VENDORS: [provider: string, apiType: string | null, model: string, functionName: string][] = [
  ['openai', null, 'gpt', 'openai.chat.completions.create'],
  ['openai', 'responses', 'gpt', 'openai.responses.create'],
  ['anthropic', null, 'claude', 'anthropic.messages.create'],
  ['anthropic.bedrock', null, 'claude', 'anthropic.messages.create'],
  ['google', null, 'gemini', 'google.generate_content'],
  ['vertexai', null, 'gemini', 'google.generate_content'],
  ['vertexai', null, 'publishers/anthropic/models/claude', 'anthropic.messages.create'],
  ['amazon.bedrock', null, 'nova', 'bedrock.converse'],
  ['cohere', null, 'command', 'cohere.chat'],
  ['mistral', null, 'small', 'mistral.chat.complete'],
  ['elsewhere', null, 'any', 'elsewhere.chat'],
];

describe.each(VENDORS)('an answer of %s (%s) by %s', (provider, apiType, model, functionName) => {
  const reread = (output: Prompt) => {
    const kwargs = providers.kwargs(provider, { prompt: output, model, apiType, parameters: {} });
    const request = providers.kwargs(provider, { prompt: chat([assistant('Hi')]), model, apiType, parameters: {} });
    const response = toNativeAnswer({ provider, model }, kwargs);
    const read = readNativeCall({ functionName, provider, args: [], kwargs: request, response }).output;
    return read.type === 'chat' ? read.messages : [];
  };

  it('is read as the same text', () => {
    const [message] = reread(chat([assistant('Yes.')]));
    expect(message).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] });
  });

  it('is read as the same tool calls', () => {
    const [message] = reread(chat([assistant(null, toolCall('c1', 'search', '{"q":"a"}'))]));
    expect(message!.tool_calls).toMatchObject([{ function: { name: 'search', arguments: '{"q":"a"}' } }]);
  });
});

it('has no content for a call that failed', () => {
  expect(toNativeAnswer({ provider: 'openai', model: 'gpt' }, { model: 'gpt' })).toEqual({});
});
