import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../platform/json.js';
import { read, said, SCHEMA, TOOL } from '../native-calls.fixture.js';

describe('Bedrock Converse', () => {
  const sent = {
    name: 'boto3.bedrock-runtime.converse',
    provider: 'amazon.bedrock',
    kwargs: {
      modelId: 'anthropic.claude-3-5-sonnet-20240620-v1:0',
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Weather?' }, { image: { format: 'png', source: { bytes: 'QQ==' } } }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'weather', input: { city: 'Rome' } } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: 'sunny' }] } }] },
      ],
      inferenceConfig: { maxTokens: 10 },
      toolConfig: { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: SCHEMA } } }] },
    },
  };
  const usage = { inputTokens: 8, outputTokens: 9, cacheReadInputTokens: 100, cacheWriteInputTokens: 50 };
  const answer = 'assistant | (hm) | Sunny. | t2:weather({"city":"Bari"})';

  it('is read', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
      { text: 'Sunny.' },
      { toolUse: { toolUseId: 't2', name: 'weather', input: { city: 'Bari' } } },
    ];
    const result = read({
      ...sent,
      response: { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage },
    });
    expect(said(result.input)).toEqual([
      'system | Be brief.',
      'user | Weather? | <image_url>',
      'assistant | t1:weather({"city":"Rome"})',
      'tool t1 | sunny',
    ]);
    expect(said(result.output)).toEqual([answer]);
    expect(result).toMatchObject({
      model: 'anthropic.claude-3-5-sonnet-20240620-v1:0',
      apiType: 'converse',
      parameters: { maxTokens: 10 },
      usage: { input: 8, output: 9, cached: 100, cacheWrite: 50, cacheExclusive: true },
      input: { tools: [TOOL] },
    });
  });

  it('is put together from the events of a stream', () => {
    const delta = (contentBlockIndex: number, piece: JsonObject) => ({
      contentBlockDelta: { contentBlockIndex, delta: piece },
    });
    const response = [
      { messageStart: { role: 'assistant' } },
      delta(0, { reasoningContent: { text: 'h' } }),
      delta(0, { reasoningContent: { text: 'm' } }),
      delta(1, { text: 'Sun' }),
      delta(1, { text: 'ny.' }),
      { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't2', name: 'weather' } } } },
      delta(2, { toolUse: { input: '{"city":' } }),
      delta(2, { toolUse: { input: '"Bari"}' } }),
      { messageStop: { stopReason: 'tool_use' } },
      { metadata: { usage } },
    ];
    const result = read({ ...sent, response });
    expect(said(result.output)).toEqual([answer]);
    expect(result.usage).toMatchObject({ input: 8, output: 9 });
  });
});
