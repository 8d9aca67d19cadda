import { beforeAll, describe, expect, it } from 'vitest';
import {
  chatStream,
  cohereEvent,
  cohereStream,
  cohereTool,
  cohereEnd,
  cohereStart,
  converseEnd,
  converseEvent,
  converseStart,
  converseStream,
  converseTool,
  framed,
  sse,
} from '../support/fake-streams.js';
import { addCredential } from '../support/model-credentials.js';
import { type ModelApp, useModelApp } from '../support/model-app.js';
import { type LogItem, search } from '../support/request-logs.js';
import { untilSearchable } from '../support/sweeps.js';
import { until } from '../support/until.js';

const used = useModelApp({ TRIALS_PER_WORKSPACE: '3' });
const TRIALS = '/api/public/v2/trials';
const MODEL = { provider: 'openai', name: 'gpt-4.1-mini' };

interface StreamEvent {
  name: string;
  data: { text?: string; trace_id?: string; code?: string; message?: string; request_id?: number };
}

/** A trial over a real connection. */
class Listener {
  readonly leaving = new AbortController();
  readonly events: StreamEvent[] = [];
  response!: Response;
  /** Resolves when the stream has ended, or the listener has left. */
  ended!: Promise<void>;

  static async open(text: string, { app } = used, { key = app.apiKey, model = MODEL } = {}): Promise<Listener> {
    const listener = new Listener();
    const prompt = { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text }] }] };
    listener.response = await fetch((await app.listen()) + TRIALS, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt, model, stream: true }),
      signal: listener.leaving.signal,
    });
    listener.ended = listener.listen().catch(() => undefined);
    return listener;
  }

  get texts(): string {
    return this.events.map(({ data }) => data.text ?? '').join('');
  }

  get last(): StreamEvent | undefined {
    return this.events.at(-1);
  }

  private async listen(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of this.response.body!) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks.filter((each) => each.startsWith('event: '))) {
        const [name, data] = block.split('\n');
        this.events.push({ name: name!.slice(7), data: JSON.parse(data!.slice(6)) as StreamEvent['data'] });
      }
    }
  }
}

interface Log extends LogItem {
  origin: string;
  error_type: string | null;
  error_message: string | null;
  prompt_blueprint: { prompt_template: { messages: { role: string; content: { text: string }[] }[] } };
}

/** The log of the trial that asked for a text, and what the model had said. */
async function logOf(text: string, { app, me }: ModelApp = used): Promise<{ log: Log; said: string }> {
  let found: LogItem | undefined;
  await until(async () => {
    await untilSearchable(app);
    const filter_group = { filters: [{ field: 'input_text', operator: 'contains', value: text }] };
    [found] = (await search(me, { filter_group })).items;
    return found !== undefined;
  });
  const log = (await me.get(`/api/public/v2/requests/${found!.id}`)) as Log;
  const answers = log.prompt_blueprint.prompt_template.messages.filter(({ role }) => role === 'assistant');
  return { log, said: answers.flatMap(({ content }) => content.map((part) => part.text)).join('') };
}

const start = chatStream({ model: MODEL.name }, 'Hello there').slice(0, 6);

describe('a stream', () => {
  it('says the answer while it is written', async () => {
    used.vendors.reply = () => ({ events: start, after: 'hang' });
    const listener = await Listener.open('live');
    await until(() => Promise.resolve(listener.texts === 'Hello'));
    expect(listener.events[0]).toMatchObject({ name: 'start', data: { trace_id: expect.stringMatching(/^\w{32}$/) } });
    listener.leaving.abort();
    await listener.ended;
    await until(() => Promise.resolve(used.vendors.open === 0));
  });

  it('ends the call at once when its client leaves, and keeps what had come', async () => {
    used.vendors.reply = () => ({ events: start, after: 'hang' });
    const listener = await Listener.open('leaving early');
    await until(() => Promise.resolve(listener.texts === 'Hello'));
    expect(used.vendors.open).toBe(1);
    listener.leaving.abort();
    await until(() => Promise.resolve(used.vendors.open === 0));
    const { log, said } = await logOf('leaving early');
    expect(said).toBe('Hello');
    expect(log).toMatchObject({ status: 'ERROR', origin: 'trial' });
    expect(log.error_message).toContain('The client ended the call');
  });

  it('ends the call of an answer that is not streamed when its client leaves', async () => {
    used.vendors.reply = () => 'hang';
    const leaving = new AbortController();
    const prompt = { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'leaving whole' }] }] };
    const url = await used.app.listen();
    const asking = fetch(url + TRIALS, {
      method: 'POST',
      headers: { 'x-api-key': used.app.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt, model: MODEL }),
      signal: leaving.signal,
    }).catch(() => undefined);
    await until(() => Promise.resolve(used.vendors.open === 1));
    leaving.abort();
    await asking;
    await until(() => Promise.resolve(used.vendors.open === 0));
    expect((await logOf('leaving whole')).log).toMatchObject({ status: 'ERROR' });
  });

  it.each([
    ['breaks', { events: start, after: 'break' as const }, 'could not be reached'],
    ['ends too early', { events: start }, 'its stream ended before the answer was complete'],
    ['holds an error', { events: [...start, sse({ error: { message: 'Overloaded', code: 503 } })] }, 'Overloaded'],
    ['holds no JSON', { events: [...start, 'data: {"choi\n\n'] }, 'no JSON: {"choi'],
  ])('that %s in the middle is an error, and what had come is kept', async (how, reply, message) => {
    used.vendors.reply = () => reply;
    const text = `stream that ${how}`;
    const listener = await Listener.open(text);
    await listener.ended;
    expect(listener.texts).toBe('Hello');
    expect(listener.last).toMatchObject({ name: 'error', data: { code: 'model_call_failed' } });
    expect(listener.last!.data.message).toContain(message);
    const { log, said } = await logOf(text);
    expect(log).toMatchObject({ status: 'ERROR', request_id: listener.last!.data.request_id });
    expect(said).toBe('Hello');
  });

  it('is rejected before it begins like a call without a stream, and reports later failures as an event', async () => {
    used.vendors.reply = () => ({ status: 500, message: 'Out of order' });
    const listener = await Listener.open('failing');
    expect(listener.response.status).toBe(200);
    await listener.ended;
    expect(listener.events.map(({ name }) => name)).toEqual(['start', 'error']);
    const unknown = await used.me.request('POST', TRIALS, { prompt_id: 999_999_999, stream: true });
    expect(unknown.status).toBe(404);
  });

  it('delivers a complete answer of 10 MB with keep-alive comments', async () => {
    const letters = 'x'.repeat(10_000);
    const frame = { object: 'chat.completion.chunk', model: MODEL.name };
    const chunk = sse({ ...frame, choices: [{ index: 0, delta: { content: letters }, finish_reason: null }] });
    const last = sse({ ...frame, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const events = Array.from({ length: 1000 }, () => `: OPENROUTER PROCESSING\n\n${chunk}`);
    used.vendors.reply = () => ({ events: [...events, last, sse('[DONE]')] });
    const listener = await Listener.open('much');
    await listener.ended;
    expect(listener.last!.name).toBe('end');
    const streamed = listener.events.filter(({ name }) => name === 'text').map(({ data }) => data.text);
    expect(streamed.join('')).toHaveLength(10_000_000);
    expect(listener.last!.data.text).toHaveLength(10_000_000);
  });

  it('delivers one text when the server does not stream', async () => {
    const message = { role: 'assistant', content: 'Whole' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    used.vendors.reply = () => ({ raw: JSON.stringify({ object: 'chat.completion', choices }) });
    const listener = await Listener.open('not streamed');
    await listener.ended;
    expect(listener.events.map(({ name }) => name)).toEqual(['start', 'text', 'end']);
    expect(listener.last!.data).toMatchObject({ text: 'Whole', first_token_ms: null });
  });

  it('is asked for again without an option that the server refuses', async () => {
    used.vendors.reply = ({ body }) =>
      'stream_options' in body ? { status: 400, message: 'Unknown field: stream_options' } : { text: 'Fine' };
    const listener = await Listener.open('picky');
    await listener.ended;
    expect(listener.last).toMatchObject({ name: 'end', data: { text: 'Fine' } });
  });

  it('ends when its key is revoked', async () => {
    used.vendors.reply = () => ({ events: start, after: 'hang' });
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    const created = (await used.me.post(keys, { role: 'admin' }, 201)) as { secret: string; api_key: { id: number } };
    const listener = await Listener.open('revoked', used, { key: created.secret });
    await until(() => Promise.resolve(listener.texts === 'Hello'));
    await used.me.delete(`${keys}/${created.api_key.id}`);
    await listener.ended;
    expect(used.vendors.open).toBe(0);
  });
});

const NOVA = { provider: 'amazon.bedrock', name: 'amazon.nova-lite-v1:0' };
const COMMAND = { provider: 'cohere', name: 'command-a' };
const frames = converseStream('Hello there').slice(0, 6).map(framed);
const events = cohereStream('Hello there').slice(0, 7);
const wrong = Uint8Array.from(framed(converseEvent('metadata', { usage: {} })));
wrong[wrong.length - 1]! ^= 1;

/** The answer has begun by then, also on a busy machine. */
const timed: typeof Listener.open = (...trial) =>
  used.app.withSettings({ trialTimeLimitMs: 5000 }, () => Listener.open(...trial));

describe('a stream of Bedrock or Cohere', () => {
  beforeAll(async () => {
    const bedrock = { secret: 'bedrock-api-key-1234', options: { region: 'eu-west-1' } };
    await addCredential(used.me, { provider: 'amazon.bedrock', base_url: used.vendors.url, ...bedrock });
    await addCredential(used.me, { provider: 'cohere', base_url: used.vendors.url });
  });

  it.each([
    [NOVA, frames, '/model/amazon.nova-lite-v1%3A0/converse-stream'],
    [COMMAND, events, '/v2/chat'],
  ])('says the answer while it is written, and ends the call when its client leaves: %j', async (model, sent, path) => {
    used.vendors.reply = () => ({ events: sent, after: 'hang' });
    const text = `leaving ${model.provider}`;
    const listener = await Listener.open(text, used, { model });
    await until(() => Promise.resolve(listener.texts === 'Hello'));
    expect(used.vendors.calls.at(-1)!.path).toBe(path);
    listener.leaving.abort();
    await until(() => Promise.resolve(used.vendors.open === 0));
    const { log, said } = await logOf(text);
    expect(said).toBe('Hello');
    expect(log.error_message).toContain('The client ended the call');
  });

  it.each([
    ['breaks', NOVA, { events: frames, after: 'break' as const }, 'could not be reached'],
    ['ends too early', NOVA, { events: frames }, 'its stream ended before the answer was complete'],
    ['ends within a frame', NOVA, { events: [...frames, frames[0]!.slice(0, 9)] }, 'it ends within a frame'],
    ['has a wrong checksum', NOVA, { events: [...frames, wrong], after: 'hang' as const }, 'has a wrong checksum'],
    [
      'has a frame that is too long',
      NOVA,
      { events: [...frames, Buffer.from('02000000000000002707d814', 'hex')], after: 'hang' as const },
      'is longer than 16777216 bytes',
    ],
    [
      'holds an exception',
      NOVA,
      { events: [...frames, framed(converseEvent('modelStreamErrorException', { message: 'Lost' }))] },
      'Lost',
    ],
    ['breaks', COMMAND, { events, after: 'break' as const }, 'could not be reached'],
    ['ends too early', COMMAND, { events }, 'its stream ended before the answer was complete'],
    ['holds an error', COMMAND, { events: [...events, sse({ message: 'Lost' }, 'error')] }, 'Lost'],
    [
      'ends with an error',
      COMMAND,
      { events: [...events, cohereEvent('message-end', { delta: { finish_reason: 'ERROR', error: 'Lost' } })] },
      'Lost',
    ],
  ])('that %s in the middle is an error, and what had come is kept: %j', async (how, model, reply, message) => {
    used.vendors.reply = () => reply;
    const text = `${model.provider} ${how}`;
    const listener = await Listener.open(text, used, { model });
    await listener.ended;
    expect(listener.texts).toBe('Hello');
    expect(listener.last).toMatchObject({ name: 'error', data: { code: 'model_call_failed' } });
    expect(listener.last!.data.message).toContain(message);
    await until(() => Promise.resolve(used.vendors.open === 0));
    const { log, said } = await logOf(text);
    expect(log).toMatchObject({ status: 'ERROR', request_id: listener.last!.data.request_id });
    expect(said).toBe('Hello');
  });

  it('that is throttled in the middle is one that its provider limits', async () => {
    const exception = framed(converseEvent('throttlingException', { message: 'Slow down' }));
    used.vendors.reply = () => ({ events: [...frames, exception] });
    const listener = await Listener.open('throttled', used, { model: NOVA });
    await listener.ended;
    expect(listener.last).toMatchObject({ name: 'error', data: { code: 'model_call_limited' } });
  });

  it.each([
    [NOVA, [converseStart, ...converseTool(0, 'c0', 'find', '{"id":7700}'), ...converseEnd('tool_use')].map(framed)],
    [COMMAND, [cohereStart, ...cohereTool(0, 'c0', 'find', '{"id":7700}'), cohereEnd('TOOL_CALL')]],
  ])('puts the calls of tools together, and has the tokens: %j', async (model, sent) => {
    used.vendors.reply = () => ({ events: sent });
    const listener = await Listener.open(`tools of ${model.provider}`, used, { model });
    await listener.ended;
    expect(listener.events.map(({ name }) => name)).toEqual(['start', 'end']);
    expect(JSON.stringify(listener.last!.data)).toContain(JSON.stringify({ name: 'find', arguments: '{"id":7700}' }));
    expect(listener.last!.data).toMatchObject({ usage: { input_tokens: 12, output_tokens: 5 } });
  });

  it('ends at its time limit', async () => {
    used.vendors.reply = () => ({ events: frames, after: 'hang' });
    const listener = await timed('too long in frames', used, { model: NOVA });
    await listener.ended;
    expect(listener.texts).toBe('Hello');
    expect(listener.last).toMatchObject({ name: 'error', data: { code: 'model_call_timed_out' } });
    expect(used.vendors.open).toBe(0);
  });
});

describe('a trial', () => {
  it('ends with its time, and the log says so', async () => {
    used.vendors.reply = () => ({ events: start, after: 'hang' });
    const listener = await timed('too long', used);
    await listener.ended;
    expect(listener.last).toMatchObject({ name: 'error', data: { code: 'model_call_timed_out' } });
    expect(listener.last!.data.message).toContain('within 5 seconds');
    const { log, said } = await logOf('too long', used);
    expect(log).toMatchObject({ request_id: listener.last!.data.request_id, error_type: 'PROVIDER_TIMEOUT' });
    expect(said).toBe('Hello');
    expect(used.vendors.open).toBe(0);
  });
});

describe('trials of a workspace', () => {
  it('are limited, streamed or not, and free their slots however they end', async () => {
    const release = used.vendors.hold();
    const open: Listener[] = [];
    for (const text of ['a', 'b', 'c']) open.push(await Listener.open(`many ${text}`));
    const body = { prompt: { type: 'completion', content: [{ type: 'text', text: 'x' }] }, model: MODEL };
    for (const stream of [true, false]) {
      const refused = await used.me.request('POST', TRIALS, { ...body, stream });
      expect(refused).toMatchObject({ status: 429, body: { error: 'trials_exceeded' } });
      expect(refused.headers['retry-after']).toBe('2');
    }
    // Another workspace has slots of its own.
    const echo = { ...body, model: { provider: 'tracesheet', name: 'echo' } };
    await (await used.app.stranger()).post(TRIALS, echo);
    open[0]!.leaving.abort();
    await until(async () => (await used.me.request('POST', TRIALS, echo)).status === 200);
    release();
    await Promise.all(open.map(({ ended }) => ended));
    expect(open.slice(1).map(({ last }) => last!.name)).toEqual(['end', 'end']);
    await used.me.post(TRIALS, echo);
  });
});
