import { beforeAll, describe, expect, it } from 'vitest';
import type { Metered } from '../support/external-cells.js';
import type { AskedCall, VendorReply } from '../support/fake-vendors.js';
import { computeColumn, fresh, useModelApp } from '../support/model-app.js';
import { addCredential } from '../support/model-credentials.js';

const used = useModelApp();

interface Called {
  provider: string;
  model: string;
  apiType?: string;
}

const CHAT: Called = { provider: 'openai', model: 'gpt-4.1-mini' };
const RESPONSES: Called = { provider: 'openai', model: 'gpt-4.1', apiType: 'responses' };
const GEMINI: Called = { provider: 'google', model: 'gemini-2.5-flash' };
const NOVA: Called = { provider: 'amazon.bedrock', model: 'amazon.nova-lite-v1:0' };
const CLAUDE: Called = { provider: 'anthropic', model: 'claude-sonnet-4' };
const COHERE: Called = { provider: 'cohere', model: 'command-a' };

beforeAll(async () => {
  const at = (path: string) => `${used.vendors.url}${path}`;
  await addCredential(used.me, { provider: 'google', base_url: at('/v1beta') });
  await addCredential(used.me, { provider: 'cohere', base_url: at('') });
  await addCredential(used.me, { provider: 'anthropic', base_url: at('') });
  const bedrock = { secret: 'bedrock-api-key-1234', options: { region: 'eu-west-1' } };
  await addCredential(used.me, { provider: 'amazon.bedrock', base_url: at(''), ...bedrock });
});

const raw = (body: object): VendorReply => ({ raw: JSON.stringify(body) });
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const choice = (finish_reason: string, message: object = {}, more: object = {}) =>
  raw({ choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message }, ...more }], usage });
const response = (status: string, more: object) => raw({ object: 'response', id: 'r', status, output: [], ...more });
const candidate = (finishReason: string, parts: object[] = []) =>
  raw({ candidates: [{ finishReason, content: { role: 'model', parts } }], usageMetadata: { promptTokenCount: 1 } });
const conversed = (stopReason: string, content: object[] = []) =>
  raw({ output: { message: { role: 'assistant', content } }, stopReason, usage: { inputTokens: 1, outputTokens: 2 } });

type JsonConfig = Record<string, unknown>;

interface Outcome {
  status: string;
  error_type: string | null;
  error_message: string | null;
}

/** The cells of prompts that get these answers, each with what its last request log says. */
async function answered(
  { provider, model, apiType }: Called,
  replies: VendorReply[],
  parameters: object = {},
  instead: (asked: AskedCall) => VendorReply | null = () => null,
): Promise<{ cell: Metered; log: Outcome; asked: number }[]> {
  const texts = replies.map((_, index) => fresh(`Case ${index},`));
  used.vendors.reply = (asked) => instead(asked) ?? replies[texts.findIndex((known) => asked.text.endsWith(known))]!;
  const template = { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: '{thing}' }] }] };
  const metadata = { model: { provider, name: model, parameters, ...(apiType && { api_type: apiType }) } };
  const config = {
    inline_template: { inline: true, prompt_template: template, metadata },
    prompt_template_variable_mappings: { thing: 'Column A' },
  };
  const { cells } = await computeColumn(used, 'PROMPT_TEMPLATE', config, { 'Column A': texts });
  return Promise.all(
    cells.map(async (cell, index) => {
      const { request_ids: ids } = cell.request_metrics as { request_ids: number[] };
      const log = (await used.me.get(`/api/public/v2/requests/${ids.at(-1)}`)) as Outcome;
      const asked = used.vendors.calls.filter(({ text }) => text.endsWith(texts[index]!)).length;
      return { cell, log, asked };
    }),
  );
}

describe('an answer with status 200', () => {
  it.each<[string, Called, VendorReply[]]>([
    [
      'chat completions',
      CHAT,
      [
        raw({ error: { message: 'Went wrong', code: 400 } }),
        raw({ error: 'Went wrong' }),
        choice('error', { content: 'Half' }, { error: { message: 'Went wrong', code: 400 } }),
        choice('error', { content: '' }),
        raw({ choices: [], usage }),
        raw({ detail: 'Went wrong' }),
        raw({}),
        { raw: '"Went wrong"' },
        choice('length', { content: '' }),
      ],
    ],
    [
      'responses',
      RESPONSES,
      [
        response('failed', { error: { code: 'invalid_prompt', message: 'Went wrong' } }),
        response('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
        response('incomplete', {
          incomplete_details: { reason: 'max_output_tokens' },
          output: [{ type: 'reasoning', id: 'x', summary: [{ type: 'summary_text', text: 'Hm.' }] }],
        }),
        response('cancelled', {}),
      ],
    ],
    [
      'Gemini',
      GEMINI,
      [
        candidate('MALFORMED_FUNCTION_CALL'),
        candidate('OTHER'),
        candidate('MAX_TOKENS'),
        candidate('UNEXPECTED_TOOL_CALL'),
        raw({ candidates: [] }),
      ],
    ],
    ['Converse', NOVA, [conversed('malformed_model_output'), conversed('max_tokens'), conversed('malformed_tool_use')]],
    ['Cohere', COHERE, [raw({ id: 'c', finish_reason: 'ERROR', message: { role: 'assistant', content: [] } })]],
  ])('that is empty fails the cell, with a log that says so: %s', async (_, called, replies) => {
    const found = await answered(called, replies);
    for (const [index, { cell, log, asked }] of found.entries()) {
      expect([index, cell.status, cell.error_message]).toEqual([index, 'error', expect.stringMatching(/\w{4}/)]);
      expect([index, log.status, asked]).toEqual([index, expect.stringMatching(/^(ERROR|WARNING)$/), 1]);
    }
  });

  it.each<[string, Called, VendorReply[]]>([
    [
      'chat completions',
      CHAT,
      [choice('content_filter', { content: '' }), choice('stop', { content: null, refusal: 'I must not' })],
    ],
    [
      'responses',
      RESPONSES,
      [
        response('incomplete', { incomplete_details: { reason: 'content_filter' } }),
        response('completed', {
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I must not' }] }],
        }),
      ],
    ],
    [
      'Gemini',
      GEMINI,
      [
        ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'].map((word) =>
          candidate(word),
        ),
        raw({ promptFeedback: { blockReason: 'OTHER' } }),
      ],
    ],
    ['Converse', NOVA, [conversed('guardrail_intervened', [{ text: 'No.' }]), conversed('content_filtered')]],
  ])('that is withheld is a refusal, in the cell and in its log: %s', async (_, called, replies) => {
    const found = await answered(called, replies);
    for (const [index, { cell, log, asked }] of found.entries()) {
      const message = expect.stringMatching(/^The model refused to answer: \w+/) as string;
      expect([index, cell.status, cell.error_message, asked]).toEqual([index, 'error', message, 1]);
      expect({ index, ...log }).toMatchObject({
        index,
        status: 'WARNING',
        error_type: 'PROVIDER_PARTIAL_RESPONSE',
        error_message: cell.error_message,
      });
    }
  });

  it.each<[string, Called, VendorReply, object]>([
    ['chat completions', CHAT, choice('length', { content: 'Half' }), { max_tokens: 77 }],
    ['Gemini', GEMINI, candidate('MAX_TOKENS', [{ text: 'Half' }]), { max_output_tokens: 77 }],
    ['Converse', NOVA, conversed('max_tokens', [{ text: 'Half' }]), { max_tokens: 77 }],
  ])('that was cut off is a value with a warning: %s', async (_, called, reply, parameters) => {
    const [found] = await answered(called, [reply], parameters);
    expect(found!.cell).toMatchObject({ status: 'completed', value: 'Half' });
    expect(found!.cell.request_metrics).toMatchObject({ warning: 'The model stopped at its limit of 77 tokens.' });
    expect(found!.log).toMatchObject({ status: 'WARNING', error_type: 'PROVIDER_PARTIAL_RESPONSE' });
  });

  it('that stands for a passing failure is requested again, and not stored', async () => {
    const passing: VendorReply[] = [
      raw({ error: { message: 'Rate limited', code: 429 } }),
      raw({ error: { message: 'Bad gateway', code: 502 } }),
      { raw: '<!doctype html><title>Bad gateway</title>', headers: { 'content-type': 'text/html' } },
    ];
    const texts = passing.map((_, index) => fresh(`Passing ${index},`));
    used.vendors.reply = ({ text }) => {
      const asked = used.vendors.calls.filter((call) => call.text === text).length;
      return asked === 1 ? passing[texts.findIndex((known) => text.endsWith(known))]! : { text: 'fine' };
    };
    const config = {
      inline_template: {
        inline: true,
        prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: '{thing}' }] }] },
        metadata: { model: { provider: CHAT.provider, name: CHAT.model } },
      },
      prompt_template_variable_mappings: { thing: 'Column A' },
    };
    const { cells } = await computeColumn(used, 'PROMPT_TEMPLATE', config, { 'Column A': texts });
    expect(cells.map(({ value }) => value)).toEqual(passing.map(() => 'fine'));
    expect(used.vendors.calls).toHaveLength(2 * passing.length);
  });
});

describe('an error in the middle of a stream', () => {
  const event = (error: object): VendorReply => ({
    raw: `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
    headers: { 'content-type': 'text/event-stream' },
  });

  it('that may pass is retried, and any other one fails the cell', async () => {
    const overloaded = event({ type: 'overloaded_error', message: 'Overloaded' });
    const invalid = event({ type: 'invalid_request_error', message: 'No such thing' });
    let asked = 0;
    const found = await answered(CLAUDE, [overloaded, invalid], {}, ({ text }) =>
      text.includes('Case 0') && ++asked > 1 ? { text: 'fine' } : null,
    );
    expect(found.map(({ cell }) => cell.status)).toEqual(['completed', 'error']);
    expect(found.map((each) => each.asked)).toEqual([2, 1]);
    expect(found[1]!.cell.error_message).toContain('No such thing');
  });
});

describe('a service that says when to come back', () => {
  const TWO_DAYS = 172_800;

  it.each<[string, Called, VendorReply]>([
    ['in a header', CHAT, { status: 429, message: 'Slow', headers: { 'retry-after': String(TWO_DAYS) } }],
    ['in a date', CHAT, { status: 429, message: 'Slow', headers: { 'retry-after': 'Wed, 01 Jan 2099 00:00:00 GMT' } }],
    [
      'in a header of another vendor',
      COHERE,
      { status: 503, message: 'Slow', headers: { 'retry-after': `${TWO_DAYS}` } },
    ],
    ['in a sentence', CHAT, { status: 429, message: `Please try again in ${TWO_DAYS / 3600}h1m3.5s.` }],
    [
      'in details',
      GEMINI,
      { status: 429, message: 'Quota', error: { details: [{ '@type': 'RetryInfo', retryDelay: `${TWO_DAYS}s` }] } },
    ],
    ['by no other try', CHAT, { status: 500, message: 'No', headers: { 'x-should-retry': 'false' } }],
    ['when somebody has paid', CHAT, { status: 429, message: 'Quota', error: { code: 'insufficient_quota' } }],
  ])('is believed: %s', async (_, called, reply) => {
    // A model that wants no calls is left alone for a while.
    const [found] = await answered({ ...called, model: fresh(called.model).replace(' ', '-') }, [reply]);
    expect([found!.cell.status, found!.asked]).toEqual(['error', 1]);
    expect(found!.log.status).toBe('ERROR');
  });
});

describe('what a service or a model refuses', () => {
  const REFUSED = 400;
  const FORMAT = { type: 'json_schema', json_schema: { name: 'o', schema: { type: 'object', properties: {} } } };

  it('is left out of one more call, and of all further ones', async () => {
    const model = fresh('plain').replace(' ', '-');
    used.vendors.reply = ({ body }) =>
      'response_format' in body
        ? { status: REFUSED, message: 'This response_format type is unavailable now' }
        : { text: '{"value": true}' };
    const config = { source: 'Column A', prompt: 'Is it?', engine: { provider: 'openai', model } };
    for (const [index, formats] of [1, 0].entries()) {
      used.vendors.calls.length = 0;
      const { cells } = await computeColumn(used, 'LLM_ASSERTION', config, { 'Column A': [fresh('x')] });
      expect([index, cells[0]!.value]).toEqual([index, { 'Is it?': { value: true, reasoning: '' } }]);
      expect(used.vendors.calls.filter(({ body }) => 'response_format' in body)).toHaveLength(formats);
      expect(used.vendors.calls).toHaveLength(formats + 1);
    }
  });

  it.each<[string, object, string, object]>([
    [
      'a parameter',
      { temperature: 0.2, seed: 7 },
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      { seed: 7 },
    ],
    [
      'one of two',
      { temperature: 0.2, top_p: 0.9 },
      '`temperature` and `top_p` cannot both be specified for this model.',
      { temperature: 0.2 },
    ],
    [
      'the older name of a limit',
      { max_tokens: 9 },
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { max_completion_tokens: 9 },
    ],
  ])('is not sent again: %s', async (_, parameters, message, left) => {
    const model = fresh('choosy').replace(' ', '-');
    const sent: Record<string, unknown>[] = [];
    const [found] = await answered(
      { provider: 'openai', model },
      [{ status: REFUSED, message }],
      parameters,
      ({ body }) => {
        sent.push(body);
        return sent.length > 1 ? { text: 'fine' } : null;
      },
    );
    expect(found!.cell).toMatchObject({ status: 'completed', value: 'fine' });
    const { messages: _messages, model: _model, ...others } = sent[1]!;
    expect(others).toEqual(left);
    const warned = Object.keys(parameters).some((name) => !(name in left) && name !== 'max_tokens');
    expect('warning' in found!.cell.request_metrics!).toBe(warned);
  });

  it('is an error where the call needs it, or where its value is wrong', async () => {
    const model = fresh('strict').replace(' ', '-');
    const message = 'Invalid value for temperature: must be between 0 and 2';
    const [found] = await answered({ provider: 'openai', model }, [{ status: REFUSED, message }], { temperature: 5 });
    expect([found!.cell.status, found!.asked]).toEqual(['error', 1]);
    expect(found!.cell.error_message).toContain(message);
  });

  it('has another name at Google where its own kind of schema lacks words, and is left out when refused', async () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } } };
    const response_format = { type: 'json_schema', json_schema: { name: 'o', schema } };
    const said = candidate('STOP', [{ text: '{"a": null}' }]);
    const model = fresh('gemini').replace(' ', '-');
    const sent: JsonConfig[] = [];
    const refuse = (body: object): VendorReply | null => {
      const config = (body as { generation_config?: JsonConfig }).generation_config ?? {};
      sent.push(config);
      const isRefused = 'response_json_schema' in config || 'response_schema' in config;
      return isRefused ? { status: REFUSED, message: 'Unknown name "responseJsonSchema": Cannot find field.' } : null;
    };
    const [found] = await answered({ ...GEMINI, model }, [said], { response_format }, ({ body }) => refuse(body));
    expect(found!.cell).toMatchObject({ status: 'completed', value: { a: null } });
    expect(sent).toMatchObject([{ response_json_schema: schema, response_mime_type: 'application/json' }, {}]);
    expect(sent.map((config) => 'response_schema' in config || 'response_json_schema' in config)).toEqual([
      true,
      false,
    ]);
    expect(sent[0]).not.toHaveProperty('response_schema');
  });

  it('is left out of calls to a model of Bedrock, when only other vendors accept it', async () => {
    const [found] = await answered(NOVA, [conversed('end_turn', [{ text: '{}' }])], {
      response_format: FORMAT,
      frequency_penalty: 1,
      seed: 3,
      max_tokens: 9,
      top_k: 5,
    });
    expect(found!.cell).toMatchObject({ status: 'completed', value: {} });
    const { messages: _messages, ...sent } = used.vendors.calls.at(-1)!.body;
    expect(sent).toMatchObject({ inferenceConfig: { maxTokens: 9 }, additionalModelRequestFields: { top_k: 5 } });
    expect(JSON.stringify(sent)).not.toMatch(/frequency|seed|response_format/);
    expect(sent.outputConfig).toMatchObject({ textFormat: { structure: { jsonSchema: { name: 'o' } } } });
  });
});
