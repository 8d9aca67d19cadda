import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../support/client.js';
import { asks, USAGE } from '../support/fake-vendors.js';
import { type ModelApp, useModelApp } from '../support/model-app.js';
import { addCredential } from '../support/model-credentials.js';
import { PUBLISH } from '../support/prompts.js';

const used = useModelApp();
const TRIALS = '/api/public/v2/trials';
const ECHO = { provider: 'tracesheet', name: 'echo' };
const GPT = { provider: 'openai', name: 'gpt-4.1-mini' };

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const chat = (text: string, more: object = {}) => ({ type: 'chat', messages: [user(text)], ...more });

interface Trial {
  request_id: number;
  trace_id: string;
  model: { provider: string; name: string; answered_by: string | null };
  message: { role: string; content: { type: string; text: string }[]; tool_calls: object[] | null };
  text: string;
  usage: { input_tokens: number; output_tokens: number };
  cost_usd: number | null;
  latency_ms: number;
  first_token_ms: number | null;
  end: { kind: string; reason: string };
  warning: string | null;
}

const ask = async (body: object, client: Client = used.me): Promise<Trial> =>
  (await client.post(TRIALS, body)) as Trial;

const refused = async (body: unknown, status: number, client: Client = used.me) =>
  (await client.post(TRIALS, body, status)) as {
    error: string;
    message: string;
    detail?: { loc: string[] }[];
    request_id?: number;
  };

const logOf = async ({ request_id: id }: { request_id?: number }, client = used.me) =>
  (await client.get(`/api/public/v2/requests/${id}`)) as Record<string, unknown> & {
    prompt_blueprint: { prompt_template: { messages: { role: string; content: { text: string }[] }[] } };
  };

async function publish(name: string, text: string, metadata: object | null = { model: ECHO }): Promise<number> {
  const body = { prompt_template: { prompt_name: name }, prompt_version: { prompt_template: chat(text), metadata } };
  return ((await used.me.post(PUBLISH, body, 201)) as { id: number }).id;
}

describe('a trial', () => {
  it('answers with the message, the tokens and the cost, and is logged with a trace', async () => {
    const trial = await ask({ prompt: chat('Greet {name}'), model: GPT, variables: { name: 'Ada' } });
    expect(trial).toMatchObject({
      model: { ...GPT, answered_by: 'gpt-4.1-mini' },
      text: 'You said: Greet Ada',
      message: { role: 'assistant', content: [{ type: 'text', text: 'You said: Greet Ada' }], tool_calls: null },
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output, cached_tokens: null },
      first_token_ms: null,
      end: { kind: 'whole', reason: '' },
      warning: null,
    });
    expect(trial.cost_usd).toBeGreaterThan(0);
    expect(trial.latency_ms).toBeGreaterThanOrEqual(0);
    expect(await logOf(trial)).toMatchObject({
      origin: 'trial',
      status: 'SUCCESS',
      trace_id: trial.trace_id,
      price: trial.cost_usd,
      input_tokens: USAGE.input,
      prompt_id: null,
      prompt_input_variables: { name: 'Ada' },
    });
    const { spans } = (await used.me.get(`/api/public/v2/traces/${trial.trace_id}`)) as { spans: object[] };
    expect(spans).toMatchObject([{ request_log_id: trial.request_id, parent_id: null }]);
  });

  it('with a version of the registry names it in the log', async () => {
    const id = await publish('trial/greeting', 'One {name}');
    await publish('trial/greeting', 'Two {name}');
    const path = { variables: { name: 'Bo' } };
    for (const which of [{ prompt_id: id }, { prompt_name: 'trial/greeting' }]) {
      expect((await ask({ ...path, ...which })).text).toBe('Two Bo');
      const first = await ask({ ...path, ...which, version: 1 });
      expect(first.text).toBe('One Bo');
      expect(await logOf(first)).toMatchObject({ prompt_id: id, prompt_version_number: 1 });
    }
    await used.me.post(`/prompts/${id}/label`, { prompt_version_number: 1, name: 'live' });
    expect((await ask({ ...path, prompt_id: id, label: 'live' })).text).toBe('One Bo');
  });

  it('may ask another model than the version does', async () => {
    const id = await publish('trial/other-model', 'Hi', { model: { ...ECHO, parameters: { temperature: 0.5 } } });
    const model = { ...GPT, parameters: { max_tokens: 7 }, api_type: 'chat.completions' };
    expect((await ask({ prompt_id: id, model })).model).toMatchObject(GPT);
    expect(used.vendors.calls.at(-1)!.body).toMatchObject({ model: GPT.name, temperature: 0.5 });
    const responses = await ask({ prompt_id: id, model: { ...GPT, api_type: 'responses' } });
    expect(responses.text).toBe('You said: Hi');
    expect(used.vendors.calls.at(-1)!.path).toBe('/v1/responses');
  });

  it('completes a text', async () => {
    const trial = await ask({ prompt: { type: 'completion', content: [{ type: 'text', text: 'Once' }] }, model: GPT });
    expect(trial).toMatchObject({ text: 'You said: Once', message: { role: 'assistant' } });
  });

  it('sends pictures, tools and a response format, and shows the calls of tools without running them', async () => {
    const tool = { type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } };
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    used.vendors.reply = () => asks({ id: 'c1', name: 'find', arguments: '{"id":7}' });
    const trial = await ask({
      prompt: {
        type: 'chat',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, picture] }],
        tools: [tool],
      },
      model: { ...GPT, parameters: { response_format: { type: 'json_object' } } },
    });
    expect(used.vendors.calls).toHaveLength(1);
    expect(used.vendors.calls[0]!.body).toMatchObject({
      tools: [{ function: { name: 'find' } }],
      response_format: { type: 'json_object' },
      messages: [{ content: [{ text: 'Look' }, { image_url: { url: 'https://example.com/a.png' } }] }],
    });
    expect(trial.message.tool_calls).toMatchObject([{ id: 'c1', function: { name: 'find', arguments: '{"id":7}' } }]);
    expect(JSON.parse(trial.text)).toEqual([{ id: 'c1', name: 'find', arguments: '{"id":7}' }]);
  });

  it('warns of variables without a value and of parameters that the model refuses', async () => {
    expect((await ask({ prompt: chat('Hi {name}'), model: ECHO })).warning).toContain('name');
    used.vendors.reply = ({ body }) =>
      'temperature' in body ? { status: 400, message: 'Unsupported parameter: temperature' } : { text: 'Warm' };
    // The refusal is remembered for the model.
    const model = { ...GPT, name: 'o-model', parameters: { temperature: 2 } };
    const trial = await ask({ prompt: chat('Hi'), model });
    expect(trial).toMatchObject({
      text: 'Warm',
      warning: 'Left out, because the model does not support it: temperature.',
    });
  });

  it('keeps NUL bytes and lone surrogates out of the log', async () => {
    const trial = await ask({ prompt: chat('a\0b {x}'), model: ECHO, variables: { x: '\ud800' } });
    expect(trial.text).toBe('a\ufffdb \ufffd');
    expect(await logOf(trial)).toMatchObject({ status: 'SUCCESS' });
  });

  it('is made twice when it is sent twice, also at the same time', async () => {
    const body = { prompt: chat('Twice'), model: ECHO };
    const [first, second] = await Promise.all([ask(body), ask(body)]);
    expect(first.request_id).not.toBe(second.request_id);
    expect(first.trace_id).not.toBe(second.trace_id);
  });
});

describe('a trial is refused', () => {
  it.each([
    ['without a prompt', { model: ECHO }, ['body', 'prompt']],
    ['with two prompts', { model: ECHO, prompt: chat('a'), prompt_id: 1 }, ['body', 'prompt']],
    ['with a version of no prompt', { model: ECHO, prompt: chat('a'), version: 1 }, ['body', 'version']],
    ['with a version and a label', { prompt_id: 1, version: 1, label: 'live' }, ['body', 'label']],
    ['with a prompt of the wrong type', { model: ECHO, prompt: 'Hi' }, ['body', 'prompt']],
    [
      'with an unknown role',
      { prompt: { type: 'chat', messages: [{ role: 'boss' }] } },
      ['body', 'prompt', 'messages', 0, 'role'],
    ],
    ['with a model without a name', { prompt: chat('a'), model: { provider: 'openai' } }, ['body', 'model', 'name']],
    [
      'with parameters that are a list',
      { prompt: chat('a'), model: { ...ECHO, parameters: [1] } },
      ['body', 'model', 'parameters'],
    ],
    ['with variables that are a text', { prompt: chat('a'), model: ECHO, variables: 'x' }, ['body', 'variables']],
    ['with a stream that is a text', { prompt: chat('a'), model: ECHO, stream: 'yes' }, ['body', 'stream']],
    ['with a huge id', { prompt_id: 1e300 }, ['body', 'prompt_id']],
    ['with a huge version', { prompt_id: 1, version: 2 ** 31 }, ['body', 'version']],
    ['with a name that is too long', { prompt_name: 'x'.repeat(513) }, ['body', 'prompt_name']],
    [
      'with a credential that is too long',
      { prompt: chat('a'), model: ECHO, credential: 'x'.repeat(101) },
      ['body', 'credential'],
    ],
  ])('%s', async (_, body, loc) => {
    expect((await refused(body, 422)).detail![0]!.loc).toEqual(loc);
  });

  it('when nothing is there that it names', async () => {
    expect((await refused({ prompt_id: 999_999_999 }, 404)).error).toBe('prompt_not_found');
    expect((await refused({ prompt_name: 'nowhere' }, 404)).error).toBe('prompt_not_found');
    const id = await publish('trial/4711', 'Hi', null);
    expect((await refused({ prompt_id: id, version: 9 }, 404)).error).toBe('prompt_version_not_found');
    expect((await refused({ prompt_id: id, label: 'none' }, 404)).error).toBe('prompt_label_not_found');
    expect((await refused({ prompt_id: id }, 400)).error).toBe('trial_model_missing');
    // Digits may be the name of another prompt; an id never means one.
    await publish('900000001', 'Digits');
    await refused({ prompt_id: 900_000_001 }, 404);
    expect((await ask({ prompt_name: '900000001' })).text).toBe('Digits');
  });

  it('when its body is no object, no JSON or nests too deeply', async () => {
    await refused([], 422);
    const json = used.me.with({ 'content-type': 'application/json' });
    await refused('{"prompt":', 400, json);
    await refused(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, 400, json);
    await refused({ prompt: chat('x'.repeat(70_000_000)), model: ECHO }, 413);
  });

  it('without a credential, with what to do', async () => {
    const prompt = chat('Hi');
    const answer = await refused({ prompt, model: { provider: 'cohere', name: 'command-a' } }, 400);
    expect(answer).toMatchObject({ error: 'trial_credential_missing' });
    expect(answer.message).toContain('no credential for the provider cohere');
    expect((await refused({ prompt, model: GPT, credential: 'second' }, 400)).error).toBe('trial_credential_missing');
    expect(used.vendors.calls).toEqual([]);
  });

  it('to strangers of the prompt and of the credential, and to viewers', async () => {
    const stranger = await used.app.stranger();
    const id = await publish('trial/mine', 'Hi');
    await refused({ prompt_id: id }, 404, stranger);
    await refused({ prompt_name: 'trial/mine' }, 404, stranger);
    expect((await refused({ prompt: chat('a'), model: GPT }, 400, stranger)).error).toBe('trial_credential_missing');
    const trial = await ask({ prompt_id: id });
    await stranger.get(`/api/public/v2/requests/${trial.request_id}`, 404);
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    const { secret } = (await used.me.post(keys, { role: 'viewer' }, 201)) as { secret: string };
    expect((await refused({ prompt_id: id }, 403, used.app.clientWith(secret))).error).toBe('permission_missing');
    await refused({ prompt_id: id }, 401, used.app.clientWith('ts_wrong'));
  });
});

describe('a model that fails', () => {
  it.each([
    [{ status: 500, message: 'Out of order' }, 502, 'model_call_failed', 'Out of order', 'PROVIDER_ERROR'],
    [{ status: 401, message: 'Bad key' }, 502, 'model_call_failed', 'may be wrong', 'PROVIDER_AUTH_ERROR'],
    [{ status: 429, message: 'Too fast' }, 429, 'model_call_limited', 'Too fast', 'PROVIDER_RATE_LIMIT'],
    [{ status: 504, message: 'Asleep' }, 504, 'model_call_timed_out', 'Asleep', 'PROVIDER_TIMEOUT'],
    [
      { raw: '<html><title>Away</title>', headers: { 'content-type': 'text/html' } },
      502,
      'model_call_failed',
      'Away',
      'PROVIDER_ERROR',
    ],
    ['break', 502, 'model_call_failed', 'could not be reached', 'PROVIDER_ERROR'],
  ] as const)('is answered with %j', async (reply, status, code, message, errorType) => {
    used.vendors.reply = () => reply;
    const answer = await refused({ prompt: chat('Hi'), model: GPT }, status);
    expect(answer.error).toBe(code);
    expect(answer.message).toContain(message);
    expect(await logOf(answer)).toMatchObject({ status: 'ERROR', error_type: errorType, origin: 'trial' });
  });

  it('and one that refuses or stops early has answered', async () => {
    const reply = (finish_reason: string, message: object) => ({
      raw: JSON.stringify({ choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }] }),
    });
    used.vendors.reply = () => reply('length', { content: 'Half' });
    expect((await ask({ prompt: chat('a'), model: GPT })).end).toEqual({ kind: 'cut', reason: 'length' });
    used.vendors.reply = () => reply('stop', { content: null, refusal: 'No.' });
    const trial = await ask({ prompt: chat('b'), model: GPT });
    expect(trial.end).toEqual({ kind: 'withheld', reason: 'No.' });
    expect(await logOf(trial)).toMatchObject({ status: 'WARNING' });
  });
});

describe('a trial of every vendor', () => {
  beforeAll(async () => {
    const { me, vendors } = used satisfies ModelApp;
    await addCredential(me, { provider: 'anthropic', base_url: vendors.url });
    await addCredential(me, { provider: 'google', base_url: `${vendors.url}/v1beta` });
    await addCredential(me, { provider: 'mistral', base_url: `${vendors.url}/v1` });
    await addCredential(me, { provider: 'house', base_url: `${vendors.url}/v1` });
    await addCredential(me, { provider: 'openai.azure', base_url: vendors.url });
    const bedrock = { secret: 'bedrock-api-key-1234', options: { region: 'eu-west-1' } };
    await addCredential(me, { provider: 'amazon.bedrock', base_url: vendors.url, ...bedrock });
    await addCredential(me, { provider: 'anthropic.bedrock', base_url: vendors.url, ...bedrock });
    await addCredential(me, { provider: 'cohere', base_url: vendors.url });
    const vertex = { secret: 'an-access-token', options: { project: 'p' } };
    await addCredential(me, { provider: 'vertexai', base_url: vendors.url, ...vertex });
  });

  it.each([
    GPT,
    { ...GPT, api_type: 'responses' },
    { provider: 'anthropic', name: 'claude-sonnet-4' },
    { provider: 'google', name: 'gemini-2.5-flash' },
    { provider: 'mistral', name: 'mistral-small' },
    { provider: 'house', name: 'own-model' },
    { provider: 'openai.azure', name: 'deployment' },
    { provider: 'amazon.bedrock', name: 'amazon.nova-lite-v1:0' },
    { provider: 'anthropic.bedrock', name: 'anthropic.claude-sonnet-4-v1:0' },
    { provider: 'cohere', name: 'command-a' },
    { provider: 'vertexai', name: 'gemini-2.5-flash' },
    { provider: 'vertexai', name: 'claude-sonnet-4' },
    { provider: 'vertexai', name: 'meta/llama' },
    ECHO,
  ])('is logged alike with and without a stream: %j', async (model) => {
    const body = { prompt: chat('Ünïcödé 🦊 of {x}'), model, variables: { x: 'it' } };
    const whole = await ask(body);
    const answer = await used.me.request('POST', TRIALS, { ...body, stream: true });
    const events = eventsOf(String(answer.body));
    expect(answer.headers['content-type']).toContain('text/event-stream');
    expect(events[0]).toMatchObject({ name: 'start' });
    const end = events.at(-1)!.data as unknown as Trial;
    expect(events.at(-1)!.name).toBe('end');
    const texts = events.filter(({ name }) => name === 'text').map(({ data }) => data.text);
    expect(texts.join('')).toBe(whole.text);
    expect(texts.length).toBeGreaterThan(3);
    if (model.provider === 'mistral') expect(used.vendors.calls.at(-1)!.body).not.toHaveProperty('stream_options');
    const own = ['request_id', 'trace_id', 'latency_ms', 'first_token_ms'];
    expect(without(end, own)).toEqual(without(whole, own));
    const [one, other] = [await logOf(whole), await logOf(end)];
    const times = ['span_id', 'request_start_time', 'request_end_time'];
    expect(without(other, [...own, ...times])).toEqual(without(one, [...own, ...times]));
  });

  it('goes to the address of the credential, whatever the environment of the server says', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');
    try {
      for (const model of [GPT, { provider: 'openai.azure', name: 'deployment' }])
        expect(await ask({ prompt: chat('a'), model })).toMatchObject({ success: true });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each([
    ['ANTHROPIC_AUTH_TOKEN', 'secret'],
    ['ANTHROPIC_CUSTOM_HEADERS', 'authorization: secret\nx-gateway: secret'],
  ])('sends nothing of %s in the environment of the server', async (name, value) => {
    vi.stubEnv(name, value);
    try {
      const model = { provider: 'anthropic', name: 'claude-sonnet-4' };
      expect(await ask({ prompt: chat('a'), model })).toMatchObject({ success: true });
      expect(JSON.stringify(used.vendors.calls.at(-1)!.headers)).not.toContain('secret');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

const without = (value: object, members: string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !members.includes(key)));

function eventsOf(text: string): { name: string; data: { text?: string } }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name, data] = block.split('\n');
      return { name: name!.slice(7), data: JSON.parse(data!.slice(6)) as object };
    });
}
