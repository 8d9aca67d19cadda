import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, loggedCall, sendBulk, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { readSpans } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const readLog = (id: number) => me.get(`/api/public/v2/requests/${id}`);

describe('the log of a call beside its span', () => {
  const said = (text: string) => ({
    type: 'chat',
    messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
  });
  const FULL = loggedCall({
    tags: ['a', 'b'],
    metadata: { user: '7', nested: { x: [1] } },
    parameters: { temperature: 0.3, stop: ['.'] },
    score: 80,
    request_start_time: 1780000000.123456,
    request_end_time: '2026-05-28T20:26:41.987654Z',
    prompt_input_variables: { name: 'Ada' },
  });
  /** Sends a call, and the same span with another; gives what became of the second. */
  async function sendAgain(fields: object) {
    const first = bulkSpan({ log_request: FULL });
    const { request_logs: logs } = await storeBulk(me, [first]);
    const answer = await sendBulk(me, [{ ...first, log_request: { ...FULL, ...fields } }]);
    // Under the same id, whatever it says now.
    expect(answer.body).toMatchObject({ request_logs: logs });
    const receipt = (await me.get(
      `/api/public/v2/ingest/receipts/${String(answer.headers['x-ingest-receipt'])}`,
    )) as unknown as { spans: { status: string }[] };
    return { status: receipt.spans[0]!.status, log: await readLog(logs![0]!.id) };
  }

  it.each<[string, object, object]>([
    [
      'input',
      { input: said('Other') },
      { prompt_blueprint: { prompt_template: { messages: [{ role: 'assistant' }, {}] } } },
    ],
    [
      'output',
      { output: { type: 'chat', messages: [] } },
      { prompt_blueprint: { prompt_template: { messages: [{}] } } },
    ],
    ['tags', { tags: ['a'] }, { tags: ['a'] }],
    ['metadata', { metadata: { user: '8' } }, { metadata: { user: '8' } }],
    ['score', { score: 81 }, { scores: [{ name: 'default', score: 81 }] }],
    ['name of the score', { score_name: 'taste' }, { scores: expect.arrayContaining([{ name: 'taste', score: 80 }]) }],
    ['status', { status: 'ERROR', error_type: 'UNKNOWN_ERROR' }, { status: 'ERROR', error_type: 'UNKNOWN_ERROR' }],
    ['parameters', { parameters: {} }, { prompt_blueprint: { metadata: { model: { parameters: {} } } } }],
    ['end', { request_end_time: 1780000002.5 }, { request_end_time: '2026-05-28T20:26:42.500Z' }],
    ['function', { function_name: 'ask' }, { function_name: 'ask' }],
    ['model', { model: 'gpt-4.1' }, { model: 'gpt-4.1' }],
    ['variables', { prompt_input_variables: { name: 'Bo' } }, { prompt_input_variables: { name: 'Bo' } }],
  ])('is brought up to date under its id when its span comes again with another %s', async (_, fields, expected) => {
    const { status, log } = await sendAgain(fields);
    expect(status).toBe('merged');
    expect(log).toMatchObject(expected);
  });

  it('is a duplicate when it comes again as it was, also when something was tracked for it since', async () => {
    expect((await sendAgain({})).status).toBe('duplicate');
    const sent = bulkSpan({ log_request: FULL });
    const { request_logs: logs } = await storeBulk(me, [sent]);
    const { id } = logs![0]!;
    await me.post('/library-track-metadata', { api_key: me.apiKey, request_id: id, metadata: { late: 'yes' } });
    await storeBulk(me, [sent]);
    expect(await readLog(id)).toMatchObject({ metadata: { user: '7', late: 'yes' } });
    await storeBulk(me, [{ ...sent, log_request: { ...FULL, tags: ['c'] } }]);
    expect(await readLog(id)).toMatchObject({ tags: ['c'], metadata: { user: '7', late: 'yes' } });
  });

  it('stays, and its span shows it, when that comes again without it', async () => {
    const sent = bulkSpan();
    const { request_logs: logs } = await storeBulk(me, [{ ...sent, log_request: loggedCall() }]);
    await storeBulk(me, [{ ...sent, name: 'renamed' }]);
    expect(await readSpans(me, sent.context.trace_id)).toMatchObject([
      { name: 'renamed', request_log_id: logs![0]!.id, provider: 'openai', model: 'gpt-4o-mini', cost: 0.15 },
    ]);
  });

  it('is not returned when its span is resent with a call of an unknown prompt, or without a call', async () => {
    await publishPrompt(me, 'again-known');
    const sent = bulkSpan({ log_request: loggedCall({ prompt_name: 'again-known' }) });
    const { spans, request_logs: logs } = await storeBulk(me, [sent]);
    const nowhere = { ...sent, log_request: loggedCall({ prompt_name: 'again-nowhere' }) };
    expect(await storeBulk(me, [nowhere])).toEqual({ success: true, spans, request_logs: null });
    expect(await readSpans(me, sent.context.trace_id)).toMatchObject([{ request_log_id: logs![0]!.id }]);
    const reported = bulkSpan({ attributes: { node_type: 'LLM_CALL' } });
    await storeBulk(me, [reported]);
    const call = { function_name: 'openai.x', request_start_time: 1780000000, request_end_time: 1780000001 };
    await me.post('/track-request', { ...call, span_id: reported.context.span_id });
    expect(await storeBulk(me, [reported])).toMatchObject({ spans: [{}], request_logs: null });
  });

  it('names another prompt when it comes again with one, and the newest version as it was then', async () => {
    const [one, two] = [await publishPrompt(me, 'again-one'), await publishPrompt(me, 'again-two')];
    const naming = (prompt_name: string) => loggedCall({ prompt_name });
    const sent = bulkSpan({ log_request: naming('again-one') });
    const { request_logs: logs } = await storeBulk(me, [sent]);
    await publishPrompt(me, 'again-one');
    const again = await sendBulk(me, [sent]);
    expect(await readLog(logs![0]!.id)).toMatchObject({ prompt_id: one.id, prompt_version_number: 1 });
    expect(again.body).toMatchObject({ request_logs: logs });
    await storeBulk(me, [{ ...sent, log_request: naming('again-two') }]);
    expect(await readLog(logs![0]!.id)).toMatchObject({ prompt_id: two.id });
    expect(await readSpans(me, sent.context.trace_id)).toMatchObject([{ prompt_id: two.id }]);
  });
});
