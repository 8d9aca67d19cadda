import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedCall } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send, spanId, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { idsOf, REQUESTS, search } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

/** "asking" asks for `name` in version 1, for `user` in version 2, and through a snippet for `other` in version 3. */
async function publish(): Promise<void> {
  me = await app.stranger();
  await publishPrompt(me, 'snippet', { text: 'About {other}.' });
  await publishPrompt(me, 'asking', { message: 'Hello {name}!' });
  await publishPrompt(me, 'asking', { message: 'Hello {{ user.city }}!', format: 'jinja2' });
  await publishPrompt(me, 'asking', { message: '@@@snippet@@@' });
}

const VARIABLES = { name: 'Ada', user: { city: 'Oslo', 'a.b': [[1]] }, other: 'x' };
const PATHS = {
  1: ['name'],
  2: ['user', 'user.a.b', 'user.city'],
  3: ['other'],
  all: ['name', 'other', 'user', 'user.a.b', 'user.city'],
};
type Version = keyof typeof PATHS;

async function logged(version: number | null, variables: object = VARIABLES): Promise<number> {
  const times = { request_start_time: 1_777_888_800, request_end_time: 1_777_888_801 };
  const prompt = version === null ? {} : { prompt_name: 'asking', prompt_version_number: version };
  const body = loggedCall({ ...times, ...prompt, prompt_input_variables: variables });
  return ((await me.post('/log-request', body, 201)) as { id: number }).id;
}

const spanOf = (version: number): Record<string, string> => ({
  'promptlayer.prompt.name': 'asking',
  'promptlayer.prompt.version': String(version),
  'promptlayer.prompt.input_variables': JSON.stringify(VARIABLES),
});

const track = (id: number, version: number, variables?: object) =>
  me.post('/rest/track-prompt', {
    request_id: id,
    prompt_name: 'asking',
    version,
    prompt_input_variables: variables,
  });

const finds = async (filter: object): Promise<number[]> => idsOf(await search(me, { filters: [filter] }));
const suggest = async (query: string) =>
  ((await me.get(`${REQUESTS}/suggestions?${query}`)) as { values: string[] }).values.sort();

/** Expects every search by variables to find the only log of the workspace. */
async function expectFound(id: number, version: Version): Promise<void> {
  const values = { name: 'Ada', other: 'x', 'user.city': 'Oslo', 'user.a.b': '1' };
  for (const [path, value] of Object.entries(values)) {
    const ids = PATHS[version].includes(path) ? [id] : [];
    const none = ids.length > 0 ? [] : [id];
    const found = await Promise.all([
      finds({ field: 'input_variable_keys', operator: 'contains', value: path }),
      finds({ field: 'input_variables', operator: 'key_equals', nested_key: path, value }),
      finds({ field: 'input_variables', operator: 'key_contains', nested_key: path, value }),
      finds({ field: 'input_variables', operator: 'is_empty', nested_key: path }),
      suggest(`field=input_variable_values&metadata_key=${path}`),
    ]);
    expect([path, ...found]).toEqual([path, ids, ids, ids, none, ids.length > 0 ? [value] : []]);
  }
  expect(await suggest('field=input_variable_keys')).toEqual(PATHS[version]);
  expect(await chartLabels()).toEqual(PATHS[version]);
  expect((await readLog(me, id)).prompt_input_variables).toEqual(VARIABLES);
}

async function chartLabels(): Promise<string[]> {
  const chart = { id: 'keys', chartType: 'bar', metric: 'count', groupByField: 'input_variable_keys' };
  const body = (await me.post(`${REQUESTS}/analytics/custom-analytics`, { customCharts: [chart] })) as {
    customCharts: { data: { label: string }[] }[];
  };
  return body.customCharts[0]!.data.map(({ label }) => label).sort();
}

describe('the variables that a log is found by', () => {
  it.each([1, 2, 3] as const)(
    'are those that version %s of its prompt asks for, when it is logged',
    async (version) => {
      await publish();
      await expectFound(await logged(version), version);
    },
  );

  it.each([1, 2, 3] as const)('are those that version %s of its prompt asks for, of a span', async (version) => {
    await publish();
    const ids = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(me, { more: spanOf(version) }, ids);
    await expectFound(id, version);
    // A log that is sent again with another answer is rewritten.
    await send(me, [llmSpan({ output: 'Again', more: spanOf(version) }, ids)]);
    await expectFound(id, version);
  });

  it('are all when it is not known to be a call of a prompt', async () => {
    await publish();
    await expectFound(await logged(null), 'all');
  });

  it('follow the prompt that is tracked later, with or without variables', async () => {
    await publish();
    const id = await logged(null);
    await track(id, 1);
    await expectFound(id, 1);
    await track(id, 2, VARIABLES);
    await expectFound(id, 2);
    await track(id, 3);
    await expectFound(id, 3);
  });

  it('stay those of a tracked prompt when the span is sent again', async () => {
    await publish();
    const ids = { traceId: traceId(), spanId: spanId() };
    const more = { 'promptlayer.prompt.input_variables': JSON.stringify(VARIABLES) };
    const id = await logCall(me, { more }, ids);
    await track(id, 2);
    await send(me, [llmSpan({ output: 'Again', more }, ids)]);
    await expectFound(id, 2);
  });

  it('are none when the prompt asks for none that were given', async () => {
    await publish();
    const id = await logged(1, { elsewhere: 1 });
    expect(await finds({ field: 'input_variables', operator: 'is_empty' })).toEqual([id]);
    expect(await finds({ field: 'input_variables', operator: 'is_not_empty' })).toEqual([]);
    expect(await finds({ field: 'input_variable_keys', operator: 'is_empty' })).toEqual([id]);
  });
});
