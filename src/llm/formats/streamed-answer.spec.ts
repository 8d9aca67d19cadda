import { ReadableStream } from 'node:stream/web';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anthropicStream,
  carried,
  carriedStream,
  chatStream,
  cohereEnd,
  cohereEvent,
  cohereStart,
  cohereStream,
  cohereTool,
  converseDelta,
  converseEnd,
  converseEvent,
  converseStart,
  converseStream,
  converseTool,
  cut,
  eventsOf,
  framed,
  sse,
  USAGE,
} from '../../../test/support/fake-streams.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { STREAM_END } from '../calls/connection.js';
import { streamedChunks } from '../calls/streamed-chunks.js';
import { outputText } from '../records/conversation.js';
import { readNativeCall } from './formats.js';
import { StreamedAnswer } from './streamed-answer.js';

const MODEL = 'a-model';
const messages = [{ role: 'user', content: 'Hi' }];
const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 17 };

interface Vendor {
  provider: string;
  functionName: string;
  kwargs: JsonObject;
  events(text: string): string[];
  /** The wire form of an event; by default the event itself. */
  encode?(event: string): Uint8Array;
  /** An error in the middle of the stream, unless it is an event called "error". */
  error?: string;
  /** The same answer without a stream. */
  whole(text: string): JsonValue;
}

const asked: JsonObject = { stream: true, stream_options: { include_usage: true }, model: MODEL };
const VENDORS: Record<string, Vendor> = {
  chat: {
    provider: 'openai',
    functionName: 'openai.chat.completions.create',
    kwargs: { model: MODEL, messages },
    events: (text) => chatStream(asked, text),
    whole: (content) => ({
      object: 'chat.completion',
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage,
    }),
  },
  completions: {
    provider: 'openai',
    functionName: 'openai.completions.create',
    kwargs: { model: MODEL, prompt: 'Once' },
    events: (text) => eventsOf('/v1/completions', asked, text)!,
    whole: (text) => ({ object: 'text_completion', model: MODEL, choices: [{ index: 0, text }], usage }),
  },
  responses: {
    provider: 'openai',
    functionName: 'openai.responses.create',
    kwargs: { model: MODEL, input: messages },
    events: (text) => eventsOf('/v1/responses', asked, text)!,
    whole: (text) => ({
      object: 'response',
      model: MODEL,
      output: [
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
      ],
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    }),
  },
  anthropic: {
    provider: 'anthropic',
    functionName: 'anthropic.messages.create',
    kwargs: { model: MODEL, messages },
    events: (text) => anthropicStream(MODEL, text),
    whole: (text) => ({
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    }),
  },
  google: {
    provider: 'google',
    functionName: 'google.generate_content',
    kwargs: { model: MODEL, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    events: (text) => eventsOf('/models/x:streamGenerateContent', {}, text)!,
    whole: (text) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: USAGE.input, candidatesTokenCount: USAGE.output },
      modelVersion: 'gemini-x',
    }),
  },
  cohere: {
    provider: 'cohere',
    functionName: 'cohere.chat',
    kwargs: { model: MODEL, messages },
    events: cohereStream,
    error: cohereEvent('message-end', { delta: { finish_reason: 'ERROR', error: 'Too much to do' } }),
    whole: (text) => ({
      id: 'c1',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      usage: { billed_units: { input_tokens: USAGE.input, output_tokens: USAGE.output } },
    }),
  },
  converse: {
    provider: 'amazon.bedrock',
    functionName: 'bedrock.converse',
    kwargs: { modelId: MODEL, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
    events: converseStream,
    encode: framed,
    error: converseEvent('serviceUnavailableException', { message: 'Too much to do' }),
    whole: (text) => ({
      output: { message: { role: 'assistant', content: [{ text }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: USAGE.input, outputTokens: USAGE.output, totalTokens: 17 },
      metrics: { latencyMs: 5 },
    }),
  },
  'anthropic in frames': {
    provider: 'anthropic.bedrock',
    functionName: 'anthropic.messages.create',
    kwargs: { model: MODEL, messages },
    events: carriedStream,
    encode: framed,
    error: carried(JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Too much to do' } })),
    whole: (text) => ({
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    }),
  },
};

const bytes = (text: string) => new TextEncoder().encode(text);

const onWire = ({ encode = bytes }: Vendor, events: string[]): Uint8Array => Buffer.concat(events.map(encode));

function responseOf(pieces: Uint8Array[], isFramed: boolean): Response {
  const headers = { 'content-type': isFramed ? 'application/vnd.amazon.eventstream' : 'text/event-stream' };
  return new Response(ReadableStream.from(pieces) as unknown as BodyInit, { headers });
}

interface Received {
  answer: StreamedAnswer;
  texts: string[];
}

async function receive(pieces: Uint8Array[], { encode }: Vendor = VENDORS.chat!): Promise<Received> {
  const answer = new StreamedAnswer();
  const texts: string[] = [];
  for await (const chunk of streamedChunks(responseOf(pieces, encode !== undefined))) {
    const piece = chunk === STREAM_END ? answer.end() : answer.add(chunk);
    if (piece && piece.text !== '') texts.push(piece.text);
  }
  return { answer, texts };
}

const read = ({ provider, functionName, kwargs }: Vendor, response: JsonValue) =>
  readNativeCall({ provider, functionName, kwargs, args: [], response });

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });

describe.each(Object.entries(VENDORS))('a streamed answer of %s', (_, vendor) => {
  it('is the answer without a stream, however its bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 60 }), async (said, places) => {
        const { answer, texts } = await receive(cut(onWire(vendor, vendor.events(said)), places), vendor);
        expect(answer.isComplete).toBe(true);
        expect(texts.join('')).toBe(said);
        expect(read(vendor, answer.response)).toEqual(read(vendor, vendor.whole(said)));
      }),
    );
  });

  it('is not complete where it breaks off, and the part before is kept', async () => {
    const events = vendor.events('Hello there');
    const { answer, texts } = await receive([onWire(vendor, events.slice(0, 6))], vendor);
    expect(answer.isComplete).toBe(false);
    expect(texts.join('')).not.toBe('');
    expect(outputText(read(vendor, answer.response).output)).toBe(texts.join(''));
  });

  it('fails with an error inside of the stream', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Too much to do', code: 503 } };
    const events = [...vendor.events('Hello').slice(0, 5), vendor.error ?? sse(error)];
    const { answer } = await receive([onWire(vendor, events)], vendor);
    expect(answer.isComplete).toBe(true);
    expect(read(vendor, answer.response).end).toMatchObject({ kind: 'failed', reason: 'Too much to do' });
  });

  it('with 10 MB takes only the memory of its text', async () => {
    const letters = 'x'.repeat(1000);
    const events = vendor.events(letters);
    const isCarried = vendor.events === carriedStream;
    const told = (event: string): string =>
      isCarried
        ? Buffer.from((JSON.parse(event) as { chunk: { bytes: string } }).chunk.bytes, 'base64').toString()
        : event;
    const isLetter = (event: string) => told(event).includes('"x"');
    const at = events.findIndex(isLetter);
    const long = told(events[at]!).replace('"x"', `"${letters}"`);
    const piece = isCarried ? carried(long) : long;
    const encode = vendor.encode ?? bytes;
    const rest = events.slice(events.findLastIndex(isLetter) + (vendor.provider === 'google' ? 0 : 1));
    const last = rest.filter((event) => !event.includes(letters));
    const bytesOfPiece = encode(piece);
    const many = Array.from({ length: 10_000 }, () => bytesOfPiece);
    const { answer, texts } = await receive([...events.slice(0, at).map(encode), ...many, ...last.map(encode)], vendor);
    expect(texts.join('')).toHaveLength(10_000_000 + (vendor.provider === 'google' ? 1 : 0));
    expect((answer.response as JsonValue[]).length).toBeLessThan(10);
  });
});

describe('a streamed answer', () => {
  const chunk = (delta: object, more: object = {}) =>
    sse({ choices: [{ index: 0, delta, finish_reason: null, ...more }] });
  const finish = sse({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });

  it('holds tool calls, which are no text', async () => {
    const call = (index: number, name: string) =>
      chunk({ tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name, arguments: '' } }] });
    const args = (index: number, piece: string) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    const events = [
      call(0, 'find'),
      ...[...'{"id": 7}'].map((letter) => args(0, letter)),
      call(1, 'stop'),
      args(1, '{}'),
      finish,
    ];
    const { answer, texts } = await receive([bytes(events.join(''))]);
    expect(texts).toEqual([]);
    const { output } = read(VENDORS.chat!, answer.response);
    expect(output).toMatchObject({
      messages: [
        {
          tool_calls: [
            { id: 'c0', function: { name: 'find', arguments: '{"id": 7}' } },
            { id: 'c1', function: { name: 'stop', arguments: '{}' } },
          ],
        },
      ],
    });
  });

  it.each([
    [
      'cohere',
      [cohereStart, ...cohereTool(0, 'c0', 'find', '{"id": 7700}'), ...cohereTool(1, 'c1', 'stop', '{}')],
      cohereEnd('TOOL_CALL'),
    ],
    [
      'converse',
      [converseStart, ...converseTool(0, 'c0', 'find', '{"id": 7700}'), ...converseTool(1, 'c1', 'stop', '')],
      converseEnd('tool_use'),
    ],
  ])('from %s holds tool calls, letter by letter', async (name, events, end) => {
    const vendor = VENDORS[name]!;
    const { answer, texts } = await receive([onWire(vendor, [...events, ...[end].flat()])], vendor);
    expect(texts).toEqual([]);
    expect((answer.response as JsonValue[]).length).toBeLessThan(10);
    const { output, usage: used, end: ended } = read(vendor, answer.response);
    const calls = (output as { messages: { tool_calls: { id: string; function: object }[] }[] }).messages[0]!
      .tool_calls;
    expect(calls.map(({ id, function: called }) => [id, called])).toEqual([
      ['c0', { name: 'find', arguments: expect.stringMatching(/^\{"id": ?7700\}$/) as string }],
      ['c1', { name: 'stop', arguments: '{}' }],
    ]);
    expect(used).toMatchObject(USAGE);
    expect(ended.kind).toBe('whole');
  });

  it.each([
    [
      'cohere',
      [
        cohereStart,
        cohereEvent('content-start', { index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } }),
        ...[...'Hmm.'].map((thinking) =>
          cohereEvent('content-delta', { index: 0, delta: { message: { content: { thinking } } } }),
        ),
        cohereEvent('content-delta', { index: 1, delta: { message: { content: { type: 'text', text: 'Yes' } } } }),
        cohereEnd(),
      ],
    ],
    [
      'converse',
      [
        converseStart,
        ...[...'Hmm.'].map((piece) => converseDelta(0, { reasoningContent: { text: piece } })),
        converseDelta(0, { reasoningContent: { signature: 'sig' } }),
        converseDelta(1, { text: 'Yes' }),
        ...converseEnd(),
      ],
    ],
  ])('from %s holds thoughts, which are no text', async (name, events) => {
    const vendor = VENDORS[name]!;
    const { answer, texts } = await receive([onWire(vendor, events)], vendor);
    expect(texts).toEqual(['Yes']);
    expect(JSON.stringify(read(vendor, answer.response).output)).toContain('"thinking":"Hmm."');
  });

  it.each([
    ['throttlingException', 429],
    ['internalServerException', 503],
    ['validationException', null],
  ])('in frames fails with %s', async (name, status) => {
    const vendor = VENDORS.converse!;
    const { answer } = await receive([onWire(vendor, [converseStart, converseEvent(name, { message: 'No' })])], vendor);
    expect(answer.isComplete).toBe(true);
    expect(read(vendor, answer.response).end).toEqual({ kind: 'failed', reason: 'No', status });
  });

  it('keeps identical calls separate', async () => {
    const vendor = VENDORS.google!;
    const call = sse({ candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { text: 'a' } } }] } }] });
    const { answer } = await receive([bytes(call + call)]);
    const { output } = read(vendor, answer.response);
    expect(JSON.stringify(output).match(/"name":"f"/g)).toHaveLength(2);
  });

  it('holds thoughts, which are no text', async () => {
    const pieces = [...'Hmm.'].map((letter) => chunk({ reasoning_content: letter }));
    const { answer, texts } = await receive([bytes([...pieces, chunk({ content: 'Yes' }), finish].join(''))]);
    expect(texts).toEqual(['Yes']);
    expect(JSON.stringify(read(VENDORS.chat!, answer.response).output)).toContain('"thinking":"Hmm."');
  });

  it('with several choices returns the first', async () => {
    const both = (first: string, second: string) =>
      sse({
        choices: [
          { index: 0, delta: { content: first } },
          { index: 1, delta: { content: second } },
        ],
      });
    const { answer, texts } = await receive([bytes([both('a', 'x'), both('b', 'y'), finish].join(''))]);
    expect(texts.join('')).toBe('ab');
    expect(outputText(read(VENDORS.chat!, answer.response).output)).toBe('ab\nxy');
  });

  it('from a server that does not stream is one chunk', async () => {
    const whole = VENDORS.chat!.whole('Hello');
    const answer = new StreamedAnswer();
    for await (const item of streamedChunks(Response.json(whole))) {
      if (item === STREAM_END) answer.end();
      else expect(answer.add(item)).toBeNull();
    }
    expect(answer.isComplete).toBe(true);
    expect(answer.response).toEqual(whole);
  });

  it('with an event called error fails, whatever its data', async () => {
    for (const data of ['Gone', '"Gone"', '{"message": "Gone"}']) {
      const { answer } = await receive([bytes(sse(data, 'error'))]);
      expect(read(VENDORS.chat!, answer.response).end).toMatchObject({ kind: 'failed', reason: 'Gone' });
    }
  });

  it('that is no JSON is refused with its start', async () => {
    await expect(receive([bytes(sse('<html>'))])).rejects.toThrow('no JSON: <html>');
  });
});
