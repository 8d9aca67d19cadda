import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { atDepth, deepIt } from '../support/depth.js';
import { asks, FakeVendors, type VendorReply } from '../support/fake-vendors.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace, type NewWorkspace } from '../support/workspaces.js';
import { type AskedColumn, AskedSheet, readTasks } from './asked-sheet.js';
import { readSheet } from './computed-sheet.js';
import { OneWorker, startFaultInstallation, untilDatabaseIdle } from './fault-installation.js';

/** Calls that a worker makes at the same time. */
const PLACES = 50;
const ENV = {
  ADMIN_TOKEN,
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  OUTBOUND_ALLOW_PRIVATE: 'on',
  EXTERNAL_CONCURRENCY: String(PLACES),
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
};

const ROWS = atDepth(300, 1000);

/** US dollars for one call: 12 tokens of input and 5 of output at the public rates of the model. */
const PRICE = (12 * 0.4 + 5 * 1.6) / 1e6;
const ASKED = 'What do you know of ';

const inline = (text: string) => ({
  inline: true,
  prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
  metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } },
});

const PROMPT: AskedColumn = {
  type: 'PROMPT_TEMPLATE',
  config: {
    inline_template: inline(`${ASKED}{thing}?`),
    prompt_template_variable_mappings: { thing: 'Column A' },
  },
  answerTo: (text) => `Nothing of ${text}`,
};

const ROUNDS = 10;
const rounds = Array.from({ length: ROUNDS }, (_, index) => index);
const LOOP: AskedColumn = {
  type: 'FOR_LOOP',
  config: {
    loop_type: 'prompt',
    max_iterations: ROUNDS,
    prompt_config: { inline_template: inline('Round {round} of {thing}') },
    variable_mappings: { round: 'loop_index', thing: 'Column A' },
    return_all_outputs: true,
  },
  answerTo: (text) => {
    const outputs = rounds.map((round) => `Done: Round ${round} of ${text}`);
    return { iterations: ROUNDS, outputs, final_output: outputs.at(-1)! };
  },
};

const TURNS = 4;
const CONVERSATION: AskedColumn = {
  type: 'CONVERSATION_SIMULATOR',
  config: {
    inline_template: inline('Talk about {thing}'),
    prompt_template_variable_mappings: { thing: 'Column A' },
    user_persona: 'Somebody who asks on.',
    engine: { provider: 'openai', model: 'gpt-4.1-mini' },
    max_turns: TURNS,
  },
  answerTo: () =>
    Array.from({ length: 2 * TURNS - 1 }, (_, index) => ({
      role: index % 2 === 0 ? 'assistant' : 'user',
      content: `Line ${index + 1}`,
    })),
};

const QUESTIONS = [1, 2, 3, 4, 5].map((number) => `Is claim ${number} true?`);
const JUDGE: AskedColumn = {
  type: 'LLM_ASSERTION',
  config: {
    source: 'Column A',
    prompt: JSON.stringify(QUESTIONS),
    engine: { provider: 'openai', model: 'gpt-4.1-mini' },
  },
  answerTo: () => Object.fromEntries(QUESTIONS.map((question) => [question, VERDICT])),
};
const VERDICT = { value: true, reasoning: 'Because.' };

const thingIn = (prompt: string): string => prompt.slice(ASKED.length, -1);
const answer = ({ text }: { text: string }): VendorReply => ({ text: String(PROMPT.answerTo(thingIn(text))) });

let vendors: FakeVendors;
let server: Installation;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  vendors = await FakeVendors.start();
  ({ server } = await startFaultInstallation(ENV));
});
afterAll(async () => {
  await server.close();
  await vendors.stop();
});
beforeEach(() => {
  vendors.reset();
  vendors.reply = answer;
});

/** A workspace of its own, so that its logs are those of the test. */
async function workspaceWithCredential(name: string): Promise<NewWorkspace> {
  const workspace = await createWorkspace(server, name);
  await workspace.client.post(`/api/admin/v1/workspaces/${workspace.id}/model-credentials`, {
    provider: 'openai',
    name: 'default',
    base_url: `${vendors.url}/v1`,
    secret: 'sk-test-0123456789',
  });
  return workspace;
}

/** Number of calls of the model for each text. */
function callsByText(): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { text } of vendors.calls) calls.set(thingIn(text), (calls.get(thingIn(text)) ?? 0) + 1);
  return calls;
}

/** Waits until a statement that counts something counts so many. */
async function untilCounted(statement: string, wanted: number): Promise<void> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  await until(async () => {
    const { rows } = await db.query<{ count: number }>(`SELECT count(*)::int FROM ${statement}`);
    return rows[0]!.count === wanted;
  });
  await db.end();
}

/** Waits until nothing that a dead process has sent is still carried out. */
async function untilSilent(): Promise<void> {
  await untilDatabaseIdle(server);
  await until(() => Promise.resolve(vendors.open === 0));
}

async function textsWithValue(client: ApiClient, asked: AskedSheet): Promise<Set<unknown>> {
  const { rows } = await readSheet(client, asked.sheet);
  return new Set(
    rows.filter(({ statuses }) => statuses.Answer === 'completed').map(({ values }) => values['Column A']),
  );
}

it('pays again only for the prompts that were under way when the worker was killed, and loses none', async () => {
  const { client } = await workspaceWithCredential('Killed');
  vendors.delayMs = 20;
  const asked = await AskedSheet.of(client, PROMPT, { rows: ROWS });
  const killed = await worker.running();
  await until(() => Promise.resolve(vendors.calls.length >= ROWS / 3));
  await killed.kill();
  await untilSilent();
  const stored = await textsWithValue(client, asked);
  expect(stored.size).toBeLessThan(ROWS);
  const underWay = [...callsByText().keys()].filter((text) => !stored.has(text));
  // A call that has its answer frees its slot before the answer is stored.
  expect(underWay.length).toBeLessThanOrEqual(2 * PLACES);
  await worker.running();
  await until(() => Promise.resolve(callsByText().size === ROWS));
  await asked.expectAnswered();

  const calls = callsByText();
  const paidTwice = [...calls].filter(([, count]) => count > 1);
  expect(paidTwice.toSorted()).toEqual(underWay.toSorted().map((text) => [text, 2]));
  expect(calls.size).toBe(ROWS);
  await expectLogged(client, asked, paidTwice.length);
});

/** Every cell names the one call that it was answered by, and every call that was answered has a log with its price. */
async function expectLogged(client: ApiClient, asked: AskedSheet, paidTwice: number): Promise<void> {
  const { rows } = await readSheet(client, asked.sheet);
  const metrics = rows.map((row) => row.metrics.Answer!);
  expect(new Set(metrics.flatMap(({ request_ids: ids }) => ids)).size).toBe(ROWS);
  expect(metrics.map(({ price }) => price)).toEqual(metrics.map(() => expect.closeTo(PRICE, 9) as number));
  const { totalRequests, totalUnpricedRequests, totalCost } = await client.post<Record<string, number>>(
    '/api/public/v2/requests/analytics',
    // A connection that breaks on a busy machine is a call in vain, which is logged as well.
    { filter_group: { filters: [{ field: 'status', operator: 'is', value: 'SUCCESS' }] } },
  );
  expect(totalUnpricedRequests).toBe(0);
  expect(totalRequests).toBeGreaterThanOrEqual(ROWS);
  expect(totalRequests).toBeLessThanOrEqual(ROWS + paidTwice);
  expect(totalCost).toBeCloseTo(totalRequests! * PRICE, 9);
}

it('ends the open calls of prompts at once when their operation is cancelled', async () => {
  const { client } = await workspaceWithCredential('Cancelled');
  let answered = 0;
  vendors.reply = (call) => (++answered > 100 ? 'hang' : answer(call));
  await worker.running();
  const asked = await AskedSheet.of(client, PROMPT, { rows: 200 });
  await until(async () => vendors.open === PLACES && (await asked.completed()) === 100);
  await client.send('DELETE', `${asked.sheet.path}/operations/${asked.operationId}`);
  await until(() => Promise.resolve(vendors.hungUp === PLACES));
  expect(vendors.open).toBe(0);
  expect(await asked.operation()).toMatchObject({ status: 'cancelled', cell_count: 100, pending_count: 0 });
  expect(await readTasks(server.databaseUrl)).toEqual([]);
});

it('goes on after the last finished part of a cell that calls many times, when its worker is killed', async () => {
  const { id, client } = await workspaceWithCredential('Looping');
  const asked = { loop: 0, conversation: 0, judge: 0 };
  // The calls that are under way when the worker dies.
  let hanging: typeof asked | null = { loop: 6, conversation: 6, judge: 4 };
  vendors.reply = ({ text }) => {
    const kind = text.startsWith('Round') ? 'loop' : text.includes('claim') ? 'judge' : 'conversation';
    if (++asked[kind] === hanging?.[kind]) return 'hang';
    const answers = { loop: `Done: ${text}`, judge: JSON.stringify(VERDICT), conversation: `Line ${asked[kind]}` };
    return { text: answers[kind] };
  };
  const killed = await worker.running();
  const loop = await AskedSheet.of(client, LOOP, { rows: 1 });
  const conversation = await AskedSheet.of(client, CONVERSATION, { rows: 1 });
  const judge = await AskedSheet.of(client, JUDGE, { rows: 1 });
  await until(() => Promise.resolve(vendors.open === 3 && isDeepStrictEqual(asked, hanging)));
  // Five iterations, three questions, and three turns of one, two and two calls.
  await untilCounted(`cell_memo WHERE workspace_id = ${id}`, 11);
  await killed.kill();
  await untilSilent();
  // Interrupted calls are made again under their old number.
  Object.assign(asked, { loop: 5, conversation: 5, judge: 3 });
  hanging = null;
  await worker.running();
  await loop.expectAnswered();
  await conversation.expectAnswered();
  await judge.expectAnswered();
  const calls = { loop: ROUNDS, conversation: 2 * TURNS - 1, judge: QUESTIONS.length };
  expect(asked).toEqual(calls);
  expect(vendors.calls).toHaveLength(calls.loop + calls.conversation + calls.judge + 3);
  await expectSpent(client, loop, calls.loop);
  await expectSpent(client, conversation, calls.conversation);
  await expectSpent(client, judge, calls.judge);
});

/** Turns of a model that asks for a tool in each of them but the last. */
const TOOL_TURNS = 4;

/** A prompt whose model may ask for a tool that the server runs. */
async function withTool(client: ApiClient, text: string): Promise<object> {
  const execution = { type: 'code', language: 'javascript', code: 'return args.n + 1;' };
  const tool_definition = { type: 'function', function: { name: 'next_number' } };
  const { tool_registry: tool } = await client.post<{ tool_registry: { id: number } }>('/api/public/v2/tool-registry', {
    name: 'next_number',
    tool_definition,
    execution,
  });
  const template = inline(text);
  const tools = [{ type: 'registry', tool_registry_id: tool.id }];
  return { inline_template: { ...template, prompt_template: { ...template.prompt_template, tools } } };
}

/** Number of tool results in a call. */
const toolResultsIn = (body: Record<string, unknown>) =>
  (body.messages as { role: string }[]).filter(({ role }) => role === 'tool').length;

/** Makes the model call the tool until it has `TOOL_TURNS - 1` results, and leaves one call without an answer. */
function asksInTurns(hanging: { asked: number | null }): void {
  let asked = 0;
  vendors.reply = ({ body }) => {
    if (++asked === hanging.asked) return 'hang';
    const told = toolResultsIn(body);
    if (told === TOOL_TURNS - 1) return { text: 'Done.' };
    return asks({ id: `call_${told}`, name: 'next_number', arguments: JSON.stringify({ n: told }) });
  };
}

it('goes on after the last finished turn of a prompt with tools, when its worker is killed', async () => {
  const { id, client } = await workspaceWithCredential('Tools');
  const config = {
    ...(await withTool(client, 'Count on from {thing}')),
    prompt_template_variable_mappings: { thing: 'Column A' },
  };
  const hanging: { asked: number | null } = { asked: TOOL_TURNS };
  asksInTurns(hanging);
  const killed = await worker.running();
  const asked = await AskedSheet.of(client, { type: 'PROMPT_TEMPLATE', config, answerTo: () => 'Done.' }, { rows: 1 });
  await until(() => Promise.resolve(vendors.calls.length === TOOL_TURNS && vendors.open === 1));
  // Three calls and what their tools gave.
  await untilCounted(`cell_memo WHERE workspace_id = ${id}`, 2 * (TOOL_TURNS - 1));
  await killed.kill();
  await untilSilent();
  hanging.asked = null;
  await worker.running();
  await asked.expectAnswered();
  expect(vendors.calls.map(({ body }) => toolResultsIn(body))).toEqual([0, 1, 2, 3, 3]);
  await expectSpent(client, asked, TOOL_TURNS);
});

deepIt('goes on within an iteration of a loop, too', async () => {
  const { id, client } = await workspaceWithCredential('Tools in loops');
  const config = {
    loop_type: 'prompt',
    max_iterations: 2,
    prompt_config: await withTool(client, 'Round {round} of {thing}'),
    variable_mappings: { round: 'loop_index', thing: 'Column A' },
  };
  const hanging: { asked: number | null } = { asked: TOOL_TURNS + 3 };
  asksInTurns(hanging);
  const killed = await worker.running();
  const asked = await AskedSheet.of(client, { type: 'FOR_LOOP', config, answerTo: () => 'Done.' }, { rows: 1 });
  await until(() => Promise.resolve(vendors.calls.length === TOOL_TURNS + 3 && vendors.open === 1));
  // The first iteration with its calls and tools, and two turns of the second.
  await untilCounted(`cell_memo WHERE workspace_id = ${id}`, 2 * TOOL_TURNS + 4);
  await killed.kill();
  await untilSilent();
  hanging.asked = null;
  await worker.running();
  await asked.expectAnswered();
  expect(vendors.calls.map(({ body }) => toolResultsIn(body))).toEqual([0, 1, 2, 3, 0, 1, 2, 2, 3]);
  await expectSpent(client, asked, 2 * TOOL_TURNS);
});

/** The cell counts what its first worker has spent, too, and names both traces. */
async function expectSpent(client: ApiClient, asked: AskedSheet, calls: number): Promise<void> {
  const { rows } = await readSheet(client, asked.sheet);
  const { request_ids: ids, trace_ids: traces, price, input_tokens: tokens } = rows[0]!.metrics.Answer!;
  expect(new Set(ids).size).toBe(calls);
  expect(new Set(traces).size).toBe(2);
  expect(price).toBeCloseTo(calls * PRICE, 9);
  expect(tokens).toBe(calls * 12);
}
