import { describe, expect, it } from 'vitest';
import { loggedCallInSpan, toLoggedCall } from './logged-call.js';

const CALL = {
  provider: 'openai',
  model: 'gpt-4o',
  input: { type: 'chat', messages: [{ role: 'user', content: 'Hi' }] },
  output: { type: 'completion', content: 'Hello' },
};
const read = (fields: object = {}) => toLoggedCall(loggedCallInSpan.parse({ ...CALL, ...fields }));

describe('a call inside a span', () => {
  it('may leave its times out', () => {
    expect(read()).toMatchObject({ startMs: null, endMs: null });
    expect(read({ request_start_time: 1780000000 })).toMatchObject({ startMs: 1780000000000, endMs: null });
  });

  it('takes texts for content', () => {
    expect(read().call).toMatchObject({
      input: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
      output: { content: [{ type: 'text', text: 'Hello' }] },
    });
  });

  it.each([
    [{}, null],
    [{ score: 0 }, null],
    [{ score: 0, score_name: null }, null],
    [{ score: 0, score_name: '' }, null],
    [{ score_name: 'tone' }, null],
    [
      { score: 0, score_name: 'tone' },
      { name: 'tone', value: 0 },
    ],
    [{ score: 7 }, { name: 'default', value: 7 }],
    [
      { score: 7, score_name: 'tone' },
      { name: 'tone', value: 7 },
    ],
  ])('has a score only when one was given: %j', (fields, score) => expect(read(fields).score).toEqual(score));

  it.each([
    [{}, null],
    [{ prompt_version_number: 3 }, null],
    [{ prompt_name: '' }, null],
    [{ prompt_name: 'greeting' }, { id: null, name: 'greeting', version: null, label: null }],
    [
      { prompt_id: 7, prompt_version_number: 3 },
      { id: 7, name: null, version: 3, label: null },
    ],
  ])('names a prompt: %j', (fields, prompt) => expect(read(fields).call.prompt).toEqual(prompt));

  it.each([
    [{}, null],
    [{ price: 0 }, null],
    [{ price: null }, null],
    [{ price: 0.01 }, 0.01],
  ])('has the reported price: %j', (fields, price) => expect(read(fields).call.reportedPrice).toBe(price));

  it('treats null like an absent field', () => {
    const names = Object.keys(loggedCallInSpan.shape).filter((name) => !(name in CALL));
    expect(read(Object.fromEntries(names.map((name) => [name, null])))).toEqual(read());
  });

  it.each([
    ['SUCCESS', 'PROVIDER_ERROR'],
    ['WARNING', 'PROVIDER_TIMEOUT'],
    ['ERROR', 'PROVIDER_PARTIAL_RESPONSE'],
    [undefined, 'UNKNOWN_ERROR'],
  ])('is refused with the status %s and the error type %s', (status, error_type) => {
    const { error } = loggedCallInSpan.safeParse({ ...CALL, status, error_type });
    expect(error?.issues).toMatchObject([{ path: ['error_type'] }]);
  });

  it('drops the credentials of its tools', () => {
    const mcp = {
      type: 'mcp',
      config: { url: 'https://mcp', headers: { Authorization: 'Bearer secret', accept: 'x' } },
    };
    const schema = { type: 'object', properties: { authorization: { type: 'string' } } };
    const tools = [mcp, { type: 'function', function: { name: 'ask', parameters: schema } }];
    const chat = { type: 'chat', messages: [], tools };
    const { input, output } = read({ input: chat, output: chat }).call;
    const kept = [
      { ...mcp, config: { url: 'https://mcp', headers: { accept: 'x' } } },
      { type: 'function', function: { name: 'ask', parameters: schema } },
    ];
    expect([input, output]).toMatchObject([{ tools: kept }, { tools: kept }]);
    expect(JSON.stringify([input, output])).not.toContain('secret');
  });

  it('is refused with the faults of its messages', () => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }];
    const { error } = loggedCallInSpan.safeParse({ ...CALL, input: { type: 'chat', messages } });
    expect(error?.issues).toMatchObject([{ path: ['input', 'messages', 0, 'content', 0, 'image_url', 'url'] }]);
  });
});
