import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrivalListeners } from '../../src/arrivals/index.js';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/words/vocabulary.js';
import type { Client } from '../support/client.js';
import { llmSpan, send, text } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const LOGS = '/api/public/v2/requests/search';
const TRACES = '/api/public/v2/traces/search';

/** A server whose worker does nothing by itself. */
let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

const sendTexts = (client: Client, texts: string[]) =>
  send(
    client,
    texts.map((input, index) => llmSpan({ input, output: 'fine', model: `m${index}` }, { name: `m${index}` })),
  );

/** Puts everything into the indexes: logs as the worker does, traces by a search. */
async function indexAll(client: Client): Promise<void> {
  await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners()).drain();
  await client.post(TRACES, { q: 'x' });
}

/** The numbers of the texts on the first page, how many there are, and whether that is exact. */
async function found(client: Client, path: string, body: object): Promise<[number[], number, boolean]> {
  const {
    items,
    total,
    total_is_exact: isExact,
  } = (await client.post(path, body)) as {
    items: { engine?: string; name?: string }[];
    total: number;
    total_is_exact: boolean;
  };
  const numbers = items.map(({ engine, name }) => Number((engine ?? name)!.slice(1)));
  return [numbers.sort((a, b) => a - b), total, isExact];
}

const STATES = [
  [LOGS, 'that wait'],
  [LOGS, 'that are indexed'],
  [TRACES, 'that wait'],
  [TRACES, 'that are indexed'],
] as const;

describe.each(STATES)('%s of documents %s', (path, state) => {
  async function clientWith(texts: string[]): Promise<Client> {
    const client = await app.stranger();
    await sendTexts(client, texts);
    if (state === 'that are indexed') await indexAll(client);
    return client;
  }

  it('looks at short words beside long ones', async () => {
    const client = await clientWith(['lantern paper', 'lantern gamma', 'lantern 木', 'lantern 林']);
    expect(await found(client, path, { q: 'lantern pa' })).toEqual([[0], 1, true]);
    expect(await found(client, path, { q: 'lantern 木' })).toEqual([[2], 1, true]);
    expect(await found(client, path, { q: '木' })).toEqual([[2], 1, true]);
    expect(await found(client, path, { q: 'lantern x' })).toEqual([[], 0, true]);
  });

  it('counts only what has the symbols', async () => {
    const client = await clientWith(['one', 'two 😀', 'three', 'four 😀', 'five', 'six', '😀 seven']);
    const [onPage, total, isExact] = await found(client, path, { q: '😀', per_page: 1 });
    expect([onPage.length, total, isExact]).toEqual([1, 3, true]);
  });

  it('takes no word of a document for misspelt', async () => {
    const client = await clientWith(['refund', 'refudn']);
    expect(await found(client, path, { q: 'refudn' })).toEqual([[1], 1, true]);
    expect(await found(client, path, { q: 'retund' })).toEqual([[0], 1, true]);
  });
});

it('takes no word of a log that waits for misspelt when the words of others are indexed', async () => {
  const client = await app.stranger();
  await sendTexts(client, ['refund']);
  await indexAll(client);
  await sendTexts(client, ['other', 'refudn']);
  for (const path of [LOGS, TRACES]) expect(await found(client, path, { q: 'refudn' })).toEqual([[1], 1, true]);
});

describe.each(['NFC', 'NFD'] as const)('values that were sent as %s', (form) => {
  const sent = 'café'.normalize(form);
  const other = sent.normalize(form === 'NFC' ? 'NFD' : 'NFC');
  const nested = (field: string, key: string) => ({ field, operator: 'key_equals', nested_key: key });
  const OF_LOGS = [
    { field: 'function_name', operator: 'is' },
    { field: 'api_type', operator: 'in' },
    { field: 'engine', operator: 'is' },
    { field: 'provider_type', operator: 'in' },
    { field: 'prompt_name', operator: 'is' },
    { field: 'prompt_id', operator: 'in' },
    { field: 'tags', operator: 'contains' },
    { field: 'user_id', operator: 'is' },
    nested('metadata', 'city'),
    nested('input_variables', 'city'),
  ];
  const OF_TRACES = [
    { field: 'trace_name', operator: 'is' },
    { field: 'trace_models_used', operator: 'contains' },
    { field: 'trace_tool_names', operator: 'in' },
    { field: 'trace_workflow_ids', operator: 'contains' },
    { field: 'trace_tags', operator: 'contains' },
    { field: 'trace_user_id', operator: 'is' },
    nested('trace_metadata', 'city'),
    { field: 'span_name', operator: 'is' },
    { field: 'span_model', operator: 'in' },
    { field: 'span_provider', operator: 'is' },
    { field: 'span_tool_name', operator: 'is' },
    { field: 'span_workflow_id', operator: 'is' },
    nested('span_attributes', 'note'),
  ];
  const tags = JSON.stringify([sent]);

  async function clientWithAll(): Promise<Client> {
    const client = await app.stranger();
    await publishPrompt(client, sent, {});
    const moment = new Date().toISOString();
    const said = (content: string) => ({ type: 'completion', content: [{ type: 'text', text: content }] });
    const log = { input: said('x'), output: said('y'), request_start_time: moment, request_end_time: moment };
    const variables = { prompt_input_variables: { city: sent } };
    await client.post('/log-request', { ...log, ...variables, provider: 'p', model: 'm' }, 201);
    const named = { provider: sent, model: sent, function_name: sent, api_type: sent, prompt_name: sent, tags: [sent] };
    await client.post('/log-request', { ...log, ...named, metadata: { city: sent, user_id: sent } }, 201);
    const told: Record<string, string> = {
      'promptlayer.tags': tags,
      'promptlayer.metadata.city': sent,
      'user.id': sent,
    };
    const call = llmSpan({ model: sent, provider: sent, more: { ...told, note: sent } }, { name: sent });
    const fields = { traceId: call.traceId, parentSpanId: call.spanId };
    const tool = llmSpan({}, { ...fields, name: `Tool: ${sent}`, attributes: [text('promptlayer.workflow.id', sent)] });
    await send(client, [call, tool, llmSpan({}, { name: 'other' })]);
    return client;
  }

  it.each(['that wait', 'that are indexed'])('are found as equal in documents %s', async (state) => {
    const client = await clientWithAll();
    if (state === 'that are indexed') await indexAll(client);
    for (const [path, leaves] of [
      [LOGS, OF_LOGS],
      [TRACES, OF_TRACES],
    ] as const) {
      for (const leaf of leaves) {
        const ask = async (value: string) => {
          const filters = [{ ...leaf, value: leaf.operator === 'in' ? [value] : value }];
          const { total } = (await client.post(path, { filter_group: { filters } })) as { total: number };
          return total;
        };
        const [asSent, asOther] = [await ask(sent), await ask(other)];
        expect([leaf.field, asOther, await ask(other.toUpperCase())]).toEqual([leaf.field, asSent, 0]);
        expect([leaf.field, asSent]).not.toEqual([leaf.field, 0]);
      }
    }
  });
});
