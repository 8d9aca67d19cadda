import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { ASKED, read, said, type Sent } from './native-calls.fixture.js';
import { readNativeCall } from './formats.js';

describe('an answer that says nothing', () => {
  it.each([
    [
      'openai.chat.completions.create',
      { messages: ASKED },
      { choices: [{ finish_reason: 'length', message: { content: '' } }] },
    ],
    ['openai.responses.create', { input: 'Hi' }, { object: 'response', status: 'incomplete', output: [], error: null }],
    ['anthropic.messages.create', { messages: ASKED }, { type: 'message', content: [] }],
    ['google.model.generate_content', { contents: 'Hi' }, { candidates: [{ finishReason: 'SAFETY' }] }],
    [
      'boto3.bedrock-runtime.converse',
      { messages: ASKED },
      { output: { message: { role: 'assistant', content: [] } } },
    ],
  ] as [string, JsonObject, JsonObject][])('stays empty: %s', (name, kwargs, response) => {
    const { output } = read({ name, provider: '', kwargs, response });
    expect(said(output).join('')).toMatch(/^(?:assistant)?$/);
  });

  it('is kept unchanged when it is an error instead of an answer', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' } };
    const { output } = read({ name: 'google.model.generate_content', kwargs: { contents: 'Hi' }, response: blocked });
    expect(said(output)).toEqual(['assistant | {"promptFeedback":{"blockReason":"SAFETY"}}']);
  });

  it('may be audio', () => {
    const message = { role: 'assistant', content: null, audio: { id: 'a', data: 'QQ==', transcript: 'Sunny.' } };
    const { output } = read({ kwargs: { messages: ASKED }, response: { choices: [{ message }] } });
    expect(said(output)).toEqual(['assistant | Sunny. | <output_media>']);
  });
});

describe('older completions', () => {
  it('from OpenAI are read as a text and its continuation, streamed or not', () => {
    const sent = { name: 'openai.completions.create', kwargs: { model: 'davinci', prompt: 'Once', max_tokens: 9 } };
    const whole = read({
      ...sent,
      response: {
        choices: [{ text: ' upon', finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      },
    });
    expect([whole.input.type, said(whole.input), said(whole.output)]).toEqual(['completion', ['Once'], [' upon']]);
    expect(whole).toMatchObject({ parameters: { max_tokens: 9 }, usage: { input: 1, output: 2 } });
    const chunks = [' up', 'on'].map((text) => ({ choices: [{ index: 0, text }] }));
    expect(said(read({ ...sent, response: chunks }).output)).toEqual([' upon']);
  });

  it('from Anthropic are read likewise', () => {
    const sent = {
      name: 'anthropic.completions.create',
      provider: 'anthropic',
      kwargs: { model: 'claude-2', prompt: '\n\nHuman: Hi' },
    };
    expect(said(read({ ...sent, response: { completion: ' Hello', stop_reason: 'stop_sequence' } }).output)).toEqual([
      ' Hello',
    ]);
    expect(said(read({ ...sent, response: [{ completion: ' He' }, { completion: 'llo' }] }).output)).toEqual([
      ' Hello',
    ]);
  });
});

describe('Cohere', () => {
  it('is read in its older form', () => {
    const result = read({
      name: 'cohere.chat',
      provider: 'cohere',
      kwargs: {
        model: 'command-r',
        preamble: 'Be brief.',
        chat_history: [{ role: 'CHATBOT', message: 'Hello' }],
        message: 'Weather?',
      },
      response: {
        text: 'Sunny.',
        tool_calls: [{ name: 'weather', parameters: { city: 'Rome' } }],
        meta: { billed_units: { input_tokens: 3, output_tokens: 4 } },
      },
    });
    expect(said(result.input)).toEqual(['system | Be brief.', 'assistant | Hello', 'user | Weather?']);
    expect(said(result.output)).toEqual(['assistant | Sunny. | :weather({"city":"Rome"})']);
    expect(result.usage).toMatchObject({ input: 3, output: 4 });
  });

  it('is read in its newer form', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Sunny.' }] };
    const result = read({
      name: 'cohere.v2.chat',
      provider: 'cohere',
      kwargs: { messages: ASKED },
      response: { message, usage: { tokens: { input_tokens: 3, output_tokens: 4 } } },
    });
    expect(said(result.output)).toEqual(['assistant | Sunny.']);
    expect(result.usage).toMatchObject({ input: 3, output: 4 });
  });
});

describe('calls that make something else than text', () => {
  it('keep the pictures and the prompt', () => {
    const result = read({
      name: 'openai.images.generate',
      kwargs: { model: 'gpt-image-1', prompt: 'A boat', size: 'auto' },
      response: {
        data: [{ b64_json: 'QQ==' }, { url: 'https://x/y.png', revised_prompt: 'A red boat' }],
        usage: { input_tokens: 5, output_tokens: 100 },
      },
    });
    expect([said(result.input), said(result.output)]).toEqual([['A boat'], ['<output_media>', '<output_media>']]);
    expect(result).toMatchObject({ parameters: { size: 'auto' }, usage: { input: 5, output: 100 } });
  });

  it("name its format, and the vendor's price", () => {
    const result = read({
      name: 'openrouter.images.generate',
      provider: 'openrouter',
      kwargs: { model: 'google/gemini-2.5-flash-image', prompt: 'A boat', output_format: 'png' },
      response: { data: [{ b64_json: 'QQ==' }], output_format: 'jpg', usage: { cost: 0.039 } },
    });
    expect(result.price).toBe(0.039);
    expect(result.output).toMatchObject({
      content: [{ url: 'data:image/jpeg;base64,QQ==', mime_type: 'image/jpeg', media_type: 'image' }],
    });
  });

  it('keep speech and videos with their types', () => {
    const spoken = read({
      name: 'openrouter.tts.create_speech',
      kwargs: { model: 'openai/gpt-4o-mini-tts', input: 'Ahoy', voice: 'alloy', response_format: 'mp3' },
      response: { id: null, data: [{ b64_json: 'QQ==' }], output_format: 'mp3', usage: {} },
    });
    expect([spoken.apiType, said(spoken.input)]).toEqual(['speech', ['Ahoy']]);
    expect(spoken.output).toMatchObject({
      content: [{ url: 'data:audio/mpeg;base64,QQ==', mime_type: 'audio/mpeg', media_type: 'audio' }],
    });
    const filmed = read({
      name: 'openrouter.video_generation.generate',
      kwargs: { model: 'google/veo-3', prompt: 'A boat' },
      response: {
        status: 'completed',
        data: [{ url: 'https://x/y.mp4', media_type: 'video' }],
        usage: { cost: 0.5 },
      },
    });
    expect([filmed.apiType, said(filmed.input), filmed.price]).toEqual(['video', ['A boat'], 0.5]);
    expect(filmed.output).toMatchObject({
      content: [{ url: 'https://x/y.mp4', mime_type: 'video/mp4', media_type: 'video', provider_metadata: {} }],
    });
  });

  it('keep the reason of a failure', () => {
    const failed = { status: 'failed', error: 'too long', data: [] };
    const { output } = read({
      name: 'openrouter.video_generation.generate',
      kwargs: { prompt: 'A boat' },
      response: failed,
    });
    expect(said(output).join('')).toContain('too long');
  });

  it('keep the texts of an embedding, not its vector', () => {
    const result = read({
      name: 'openai.embeddings.create',
      kwargs: { model: 'text-embedding-3-small', input: ['a', 'b'] },
      response: { data: [{ embedding: [0.5] }], usage: { prompt_tokens: 2 } },
    });
    expect([said(result.input), said(result.output)]).toEqual([['a', 'b'], []]);
    expect(result.usage).toMatchObject({ input: 2 });
  });
});

describe('counts of tokens', () => {
  const counted = (usage: object) =>
    read({ kwargs: { messages: ASKED }, response: { choices: [{ message: { content: 'x' } }], usage } }).usage;

  it('count thinking once, also where it is reported beside the output', () => {
    const completion_tokens_details = { reasoning_tokens: 300 };
    const usage = { prompt_tokens: 10, completion_tokens: 500, completion_tokens_details };
    expect(counted({ ...usage, total_tokens: 510 })).toMatchObject({ input: 10, output: 500, thinking: 300 });
    expect(counted({ ...usage, total_tokens: 810 })).toMatchObject({ input: 10, output: 800, thinking: 300 });
    expect(counted(usage)).toMatchObject({ output: 500 });
  });

  it('count audio and images separately', () => {
    const spoken = counted({
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { audio_tokens: 80, image_tokens: 5, cached_tokens_details: { audio_tokens: 20 } },
      completion_tokens_details: { audio_tokens: 40 },
    });
    expect(spoken.media).toEqual({
      audio: { input: 80, cached: 20, output: 40 },
      image: { input: 5, cached: 0, output: 0 },
    });
    expect(counted({ prompt_tokens: 100, prompt_tokens_details: { audio_tokens: 0 } }).media).toBeUndefined();
    const usage_metadata = {
      prompt_token_count: 100,
      prompt_tokens_details: [
        { modality: 'TEXT', token_count: 20 },
        { modality: 'AUDIO', token_count: 80 },
      ],
      cache_tokens_details: [{ modality: 'AUDIO', token_count: 10 }],
      candidates_token_count: 1290,
      candidates_tokens_details: [{ modality: 'IMAGE', token_count: 1290 }],
    };
    const response = { candidates: [{ content: { parts: [{ text: 'x' }] } }], usage_metadata };
    expect(read({ name: 'google.model.generate_content', kwargs: { contents: 'Hi' }, response }).usage.media).toEqual({
      audio: { input: 80, cached: 10, output: 0 },
      image: { input: 0, cached: 0, output: 1290 },
    });
  });
});

describe('calls in unknown formats', () => {
  it.each([
    [
      'Hugging Face',
      { name: 'huggingface.text_generation', kwargs: { inputs: 'Once' }, response: [{ generated_text: ' upon' }] },
    ],
    ['a plain text', { name: 'house.ask', args: ['Once'], response: ' upon' }],
    ['messages inside', { name: 'house.ask', kwargs: { query: 'Once' }, response: { answer: ' upon', score: 1 } }],
    [
      'a message',
      { name: 'house.ask', kwargs: { prompt: 'Once' }, response: { message: { role: 'assistant', content: ' upon' } } },
    ],
  ] as [string, Sent][])('are read where they look like text: %s', (_name, sent) => {
    const result = read(sent);
    expect([said(result.input), said(result.output)]).toEqual([['user | Once'], ['assistant |  upon']]);
  });

  it('may give every message as an argument of its own, as LangChain does', () => {
    const result = read({
      name: 'langchain.PromptLayerChatOpenAI',
      provider: 'langchain',
      args: [{ role: 'system', content: 'Be brief.' }, ...ASKED],
      kwargs: { model_name: 'gpt-3.5-turbo', temperature: 0.7 },
      response: [{ role: 'assistant', content: 'Sunny.' }],
    });
    expect(said(result.input)).toEqual(['system | Be brief.', 'user | Weather in Rome?']);
    expect(said(result.output)).toEqual(['assistant | Sunny.']);
    expect(result).toMatchObject({ model: 'gpt-3.5-turbo', parameters: { temperature: 0.7 } });
    expect(result.parameters).toEqual({ temperature: 0.7 });
  });

  it('lose nothing: arguments become parameters, the response a text, and credentials are left out', () => {
    const result = read({
      name: 'house.compute',
      args: [1, 'two'],
      kwargs: { alpha: 1, api_key: 'sk-1', nested: { Authorization: 'Bearer sk-2' } },
      response: { beta: [1, 2], apiKey: 'sk-3' },
    });
    expect(result.parameters).toEqual({ alpha: 1, nested: {}, args: [1, 'two'] });
    expect(said(result.output)).toEqual(['assistant | {"beta":[1,2]}']);
  });
});

const NAMES = [
  'openai.chat.completions.create',
  'openai.responses.create',
  'openai.completions.create',
  'openai.images.generate',
  'openai.embeddings.create',
  'anthropic.messages.create',
  'anthropic.completions.create',
  'google.convo.send_message',
  'boto3.bedrock-runtime.converse',
  'cohere.chat',
  'house.ask',
];
const MEMBERS = [
  'messages',
  'input',
  'contents',
  'history',
  'prompt',
  'tools',
  'choices',
  'message',
  'content',
  'parts',
  'candidates',
  'output',
  'usage',
  'role',
  'type',
  'text',
  'delta',
  'index',
  'data',
  'system',
  'toolConfig',
  'config',
  'item',
  'response',
  '__proto__',
];
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<JsonValue>(
      null,
      '',
      'x',
      0,
      -1,
      1e300,
      true,
      'assistant',
      'message_start',
      'content_block_delta',
      'response.completed',
    ),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...MEMBERS), tie('tree'), { maxKeys: 5 }),
  ),
}));
const object = fc.dictionary(fc.constantFrom(...MEMBERS), tree, { maxKeys: 6 });

describe('any call at all', () => {
  it('is read without an error, with whole counts', () => {
    const calls = fc.record({
      functionName: fc.constantFrom(...NAMES),
      provider: fc.constant(''),
      args: fc.array(tree, { maxLength: 2 }),
      kwargs: object,
      response: tree,
    });
    fc.assert(
      fc.property(calls, (call) => {
        const result = readNativeCall(call);
        expect(JSON.parse(JSON.stringify(result)).input.type).toMatch(/chat|completion/);
        for (const count of [result.usage.input, result.usage.output])
          expect(count === null || Number.isInteger(count)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes time in proportion to a stream', () => {
    const delta = (index: number) => ({
      choices: [{ index: 0, delta: { content: 'x', tool_calls: [{ index, function: { arguments: 'y' } }] } }],
    });
    const response = Array.from({ length: 20_000 }, (_, index) => delta(index));
    const { output } = read({ kwargs: { messages: ASKED }, response });
    expect(output).toMatchObject({ messages: [{ content: [{ text: 'x'.repeat(20_000) }] }] });
  });
});
