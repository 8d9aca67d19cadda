import { describe, expect, it } from 'vitest';
import { read, said, SCHEMA, type Sent, TOOL } from '../native-calls.fixture.js';

describe('Google contents', () => {
  const answer = 'assistant | (hm) | Sunny. | :weather({"city":"Rome"})';
  const cases: [string, Sent][] = [
    [
      'camelCase, as JavaScript sends them',
      {
        kwargs: {
          model: 'gemini-2.5-pro',
          history: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
          generationConfig: {
            temperature: 0.1,
            systemInstruction: { parts: [{ text: 'Be brief.' }] },
            tools: [{ functionDeclarations: [{ name: 'weather', parameters: SCHEMA }] }],
          },
        },
        response: {
          candidates: [
            {
              content: {
                role: 'model',
                parts: [
                  { text: 'hm', thought: true },
                  { text: 'Sunny.' },
                  { functionCall: { name: 'weather', args: { city: 'Rome' } } },
                ],
              },
              finishReason: 'STOP',
            },
          ],
          usageMetadata: {
            promptTokenCount: 10,
            candidatesTokenCount: 5,
            thoughtsTokenCount: 7,
            cachedContentTokenCount: 4,
          },
        },
      },
    ],
    [
      'snake_case with every member, as Python prints them',
      {
        kwargs: {
          model: 'gemini-2.5-pro',
          history: [{ role: 'user', parts: [{ text: 'Weather?', function_call: null, inline_data: null }] }],
          generation_config: {
            temperature: 0.1,
            system_instruction: 'Be brief.',
            tools: [{ function_declarations: [{ name: 'weather', parameters: SCHEMA }] }],
          },
        },
        response: {
          candidates: [
            {
              content: {
                role: 'model',
                parts: [
                  { text: 'hm', thought: true, function_call: null, executable_code: null },
                  { text: 'Sunny.', thought: null, function_call: null, executable_code: null },
                  { text: null, function_call: { name: 'weather', args: { city: 'Rome' }, id: null } },
                ],
              },
              finish_reason: 'STOP',
            },
          ],
          usage_metadata: {
            prompt_token_count: 10,
            candidates_token_count: 5,
            thoughts_token_count: 7,
            cached_content_token_count: 4,
          },
        },
      },
    ],
  ];
  it.each(cases)('in %s', (_name, sent) => {
    const result = read({ name: 'google.convo.send_message', provider: 'google', ...sent });
    expect(said(result.input)).toEqual(['system | Be brief.', 'user | Weather?']);
    expect(said(result.output)).toEqual([answer]);
    expect(result).toMatchObject({
      model: 'gemini-2.5-pro',
      apiType: 'generate-content',
      parameters: { temperature: 0.1 },
      // The candidates and the thoughts.
      usage: { input: 10, output: 12, cached: 4, thinking: 7, cacheExclusive: false },
      input: { tools: [TOOL] },
    });
  });

  it.each([
    ['by name', { kwargs: { contents: 'Weather?' } }],
    ['without a name', { args: ['Weather?'] }],
    ['as parts', { kwargs: { contents: [{ text: 'Weather?' }] } }],
    ['as turns', { kwargs: { contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }] } }],
  ] as [string, Sent][])('given %s', (_name, sent) => {
    const result = read({ name: 'google.model.generate_content', provider: 'google', ...sent });
    expect([said(result.input), result.parameters]).toEqual([['user | Weather?'], {}]);
  });

  it('are put together from the pieces of a stream', () => {
    const piece = (text: string, rest = {}) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] } }],
      ...rest,
    });
    const response = [piece('Sun'), piece('ny.', { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } })];
    const result = read({ name: 'google.model.generate_content', kwargs: { contents: 'Hi' }, response });
    expect(said(result.output)).toEqual(['assistant | Sunny.']);
    expect(result.usage).toMatchObject({ input: 3, output: 2 });
  });
});
