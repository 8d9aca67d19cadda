import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loggedCall } from '../support/bulk.js';
import { DATASETS, newGroup, versionFromLogs } from '../support/datasets.js';
import {
  type Erasure,
  erase,
  finishedErasure,
  newWorkspace,
  untilCaughtUp,
  startErasure,
  type Workspace,
} from '../support/erasures.js';
import { newDataset, newReport, runReport } from '../support/evaluations.js';
import { finishedExport } from '../support/exports.js';
import {
  addColumn,
  type ImportOperation,
  newSheet,
  readRows,
  settled,
  TABLES,
  type TestSheet,
} from '../support/factories.js';
import { ECHO, inlinePrompt } from '../support/model-app.js';
import { JSON_TYPE, llmSpan, send, span, spanId, text, traceId } from '../support/otlp.js';
import { calculateScorecard, configureScorecard, withSteps } from '../support/scorecards.js';
import { calculateScore, configureScore, textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { addTrace } from '../support/traces.js';
import { until } from '../support/until.js';
import { createWorkflow } from '../support/workflows.js';

const HOUR_MS = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

interface Person {
  id: string;
  /** A word that stands in everything the person has said. */
  word: string;
}
const person = (): Person => ({ id: `user-${spanId()}`, word: `zq${randomBytes(6).toString('hex')}` });

const nanos = (ms: number) => `${Math.round(ms)}000000`;
/** Spans of an hour that has ended, so that it is added up. */
const ended = () => ({
  startTimeUnixNano: nanos(Date.now() - 3 * HOUR_MS),
  endTimeUnixNano: nanos(Date.now() - 2.9 * HOUR_MS),
});

/** A trace in which the person speaks, with a resource of its own; gives its id. */
async function speak({ me }: Workspace, { id, word }: Person): Promise<string> {
  const trace = traceId();
  const more = { 'user.id': id, 'session.id': `of-${id}` };
  const times = ended();
  const call = llmSpan({ input: `I am ${word}`, output: `Hello ${word}`, more }, { traceId: trace, ...times });
  const step = span({ traceId: trace, name: `step ${word}`, attributes: [text('note', word)], ...times });
  const resource = { attributes: [text('device.note', word)] };
  const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: [call, step] }] }] };
  const sent = await me.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify(body));
  expect(sent.status).toBe(200);
  return trace;
}

/** A call that a client reports by itself; gives the id of its log. */
async function report({ me }: Workspace, { id, word }: Person): Promise<number> {
  const said = { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: `again ${word}` }] }] };
  const at = (ms: number) => new Date(Date.now() - ms).toISOString();
  const times = { request_start_time: at(3 * HOUR_MS), request_end_time: at(2.9 * HOUR_MS) };
  const body = loggedCall({ input: said, metadata: { user_id: id }, tags: [word], ...times });
  const { id: log } = (await me.post('/log-request', body, 201)) as { id: number };
  await me.post('/rest/track-score', { request_id: log, score: 77 });
  return log;
}

const ofPerson = ({ id }: Person) => ({
  filters: [{ field: 'metadata', operator: 'key_equals', nested_key: 'user_id', value: id }],
});

async function importedSheet({ me }: Workspace, who: Person): Promise<TestSheet> {
  const sheet = await newSheet(me);
  const body = { filter_group: ofPerson(who), include_fields: ['input_text', 'tags'] };
  const { operation_id: id } = (await me.post(`${sheet.path}/imports/request-logs`, body, 202)) as {
    operation_id: string;
  };
  await until(async () => {
    const path = `${TABLES}/${sheet.tableId}/sheets/operations/${encodeURIComponent(id)}`;
    return ((await me.get(path)) as { operation: ImportOperation }).operation.status === 'completed';
  });
  return sheet;
}

/** Creates data of a person in everything that the product stores. */
async function leaveTraces(where: Workspace, who: Person): Promise<{ trace: string; sheet: TestSheet }> {
  const { me } = where;
  const trace = await speak(where, who);
  await report(where, who);
  const sheet = await importedSheet(where, who);
  const { title } = (await readRows(me, sheet)).columns[0]!;
  const prompt = {
    inline_template: inlinePrompt(`Repeat {thing}`, ECHO),
    prompt_template_variable_mappings: { thing: title },
  };
  await addColumn(me, sheet, { title: 'Echo', type: 'PROMPT_TEMPLATE', config: prompt });
  await settled(me, sheet);
  const { data } = await readRows(me, sheet);
  const [cell] = Object.values(data[0]!.cells);
  await me.patch(`${sheet.path}/cells/${cell!.id}`, { value: `edited ${who.word}` });
  await addTrace(me.with({ 'idempotency-key': spanId() }), await newSheet(me), trace);
  const group = await newGroup(me);
  const dataset = await versionFromLogs(me, group.id, { filter_group: ofPerson(who) });
  const copy = (await me.post(`${DATASETS}/${dataset.id}/to-table`, {}, 202)) as { status_url: string };
  await until(
    async () => ((await me.get(copy.status_url)) as { operation: ImportOperation }).operation.status === 'completed',
  );
  await finishedExport(me, { source: 'requests', format: 'jsonl', compression: 'gzip' });
  await judge(where, who);
  await evaluate(where, who);
  await nameInAudit(where, who);
  await tellOf(where, who);
  await untilCaughtUp(app, where);
  return { trace, sheet };
}

/** Scores of a sheet that quote the person, who stands in it only until they are scored: afterwards nothing else names them. */
async function judge({ me }: Workspace, { id, word }: Person): Promise<void> {
  const sheet = await textSheet(
    me,
    ['Who', 'Note'],
    [
      [id, word],
      ['nobody', 'else'],
    ],
  );
  const step = (title: string, primitive_type: string, primitive_config: object) => ({
    title,
    primitive_type,
    primitive_config,
  });
  const steps = [
    step('Known', 'CONTAINS', { source: 'Who', value: 'user' }),
    step('Word', 'CONTAINS', { source: 'Note', value: 'zq' }),
    step('Often', 'COLUMN_AGGREGATE', { source: 'Note', aggregation: 'most_frequent' }),
  ];
  await configureScorecard(me, sheet, withSteps(steps));
  await calculateScorecard(me, sheet);
  const code = `result = {score: 1, score_matrix: [[data[0].Who, data[0].Note]]}`;
  await configureScore(me, sheet, { code, code_language: 'JAVASCRIPT' });
  await calculateScore(me, sheet);
  const { data } = await readRows(me, sheet);
  for (const cellId of sheet.ids.map((column) => data[0]!.cells[column]!.id)) {
    await me.patch(`${sheet.path}/cells/${cellId}`, { value: 'somebody' });
  }
  await calculateScorecard(me, sheet);
}

/** A report whose code quotes its rows in the score. */
async function evaluate({ me }: Workspace, { id, word }: Person): Promise<void> {
  const dataset = await newDataset(me, [{ who: `this is ${id}.`, note: word }]);
  const code = 'return {"score": 1, "score_matrix": [[[row["note"]] for row in data]]}';
  const report = await newReport(me, dataset, [], { score_configuration: { code } });
  await runReport(me, report.id);
}

/** A workflow that was named after the person, and has another name since. */
async function nameInAudit({ me, id: workspaceId }: Workspace, { id }: Person): Promise<void> {
  const workflow = await createWorkflow(me, id);
  await me.patch(`/api/admin/v1/workspaces/${workspaceId}/workflows/${workflow}`, { name: `another ${workflow}` });
}

/** An event about a person, and what a receiver of it has answered. */
async function tellOf({ id }: Workspace, { id: user, word }: Person): Promise<void> {
  await app.inTransaction(async (sql) => {
    const [event] = (await sql(
      `INSERT INTO outbox_events (workspace_id, type, request_id, details) VALUES ($1, 'told', 'r', $2) RETURNING id`,
      [id, JSON.stringify({ user_id: user, note: word })],
    )) as [{ id: string }];
    const [webhook] = (await sql(
      `INSERT INTO webhooks (workspace_id, url, secret, enabled) VALUES ($1, 'https://example.com', 'x', false) RETURNING id`,
      [id],
    )) as [{ id: number }];
    await sql(
      `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_type, body, status, response_body)
       VALUES ($1, $2, $3, 'told', $4, 'delivered', $5)`,
      [id, webhook.id, event.id, JSON.stringify({ user_id: user }), `thanks, ${word}`],
    );
  });
}

/** Number of rows per table that have one of the texts in any column, including bytes and files. */
async function placesOf(texts: string[]): Promise<Record<string, number>> {
  const tables = (await app.sql(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  )) as { name: string }[];
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const rows = (await app.sql(`SELECT * FROM "${name}"`)) as object[];
    const count = rows.filter((row) => texts.some((each) => contentOf(row).includes(each))).length;
    if (count > 0) found[name] = count;
  }
  return found;
}

function contentOf(row: object): string {
  return Object.values(row)
    .map((value: unknown) => {
      if (!Buffer.isBuffer(value)) return JSON.stringify(value) ?? '';
      const isFile = value.length > 2 && value[0] === 0x1f && value[1] === 0x8b;
      return (isFile ? gunzipSync(value) : value).toString('latin1');
    })
    .join('\n');
}

describe('erasing a person', () => {
  it('leaves nothing of them in any table, and all of others', async () => {
    const [where, elsewhere] = [await newWorkspace(app), await newWorkspace(app)];
    const [who, other] = [person(), person()];
    const left = await leaveTraces(where, who);
    await speak(where, other);
    await report(where, other);
    await importedSheet(where, other);
    const namesake = { id: who.id, word: person().word };
    await speak(elsewhere, namesake);
    await report(elsewhere, namesake);
    await untilCaughtUp(app, where, elsewhere);
    const before = await placesOf([who.word]);
    expect(Object.keys(before).sort()).toEqual(
      expect.arrayContaining([
        'cell_history',
        'cell_memo',
        'cells',
        'export_chunks',
        'idempotency_keys',
        'outbox_events',
        'reports',
        'request_hours',
        'request_logs',
        'score_calculations',
        'scorecard_calculations',
        'scorecard_rows',
        'search_segments',
        'span_search',
        'span_sources',
        'spans',
        'trace_search',
        'vocabulary',
        'webhook_deliveries',
      ]),
    );
    const namedBefore = Object.keys(await placesIn(where, who.id));
    for (const table of ['audit_entries', 'score_calculations', 'scorecard_rows']) expect(namedBefore).toContain(table);
    const [others, namesakes] = [await placesOf([other.word]), await placesOf([namesake.word])];

    const tried = await erase(where, { user_id: who.id, dry_run: true });
    expect(tried).toMatchObject({ status: 'completed', dry_run: true, progress: 100, verified_at: null });
    expect(await placesOf([who.word])).toEqual(before);
    const done = await erase(where, { user_id: who.id });
    expect([done.error_message, done.status, done.progress]).toEqual([null, 'completed', 100]);
    expect(done.verified_at).toMatch(/^20/);
    expect(await placesOf([who.word])).toEqual({});
    expect(tried.counts).toEqual(done.counts);
    expect(await placesOf([other.word])).toEqual({ ...others, ...(await exportsOf(others)) });
    expect(await placesOf([namesake.word])).toEqual(namesakes);
    await where.me.get(`/api/public/v2/traces/${left.trace}`, 404);
    const { data } = await readRows(where.me, left.sheet);
    expect(data).toEqual([]);

    // Only a keyed hash is left of who it was, and in the other workspace everything.
    const named = await placesOf([who.id]);
    const own = Object.keys(await placesIn(where, who.id));
    expect(own).toEqual([]);
    const renames = await where.me.get(`/api/admin/v1/workspaces/${where.id}/audit-entries?entity_type=workflow`);
    expect(JSON.stringify(renames)).toMatch(/"name":"[0-9a-f]{64}"/);
    expect(named).toHaveProperty('request_logs');
    const trail = await where.me.get(`/api/admin/v1/workspaces/${where.id}/audit-entries?entity_type=erasure`);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(trail).toMatchObject({
      data: [
        { action: 'erasure.complete', entity_id: done.id, details: { person: hash, counts: done.counts } },
        { action: 'erasure.create' },
        { action: 'erasure.create' },
      ],
    });
    // The words of others are found as before.
    const parts = { q: other.word.slice(0, 9) };
    const found = (await where.me.post('/api/public/v2/requests/search', parts)) as { items: unknown[] };
    expect(found.items.length).toBeGreaterThan(0);
  });

  /** Exports of others that were made since go as well: they may hold the person. */
  const exportsOf = (before: Record<string, number>) =>
    Promise.resolve('export_chunks' in before ? { export_chunks: undefined as unknown as number } : {});

  async function placesIn({ id }: Workspace, name: string): Promise<Record<string, number>> {
    const columns = (await app.sql(
      `SELECT DISTINCT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'workspace_id'`,
    )) as { name: string }[];
    const found: Record<string, number> = {};
    for (const { name: table } of columns) {
      const rows = (await app.sql(`SELECT * FROM "${table}" WHERE workspace_id = $1`, [id])) as object[];
      const count = rows.filter((row) => contentOf(row).includes(name)).length;
      if (count > 0) found[table] = count;
    }
    return found;
  }
});

describe('an erasure', () => {
  let where: Workspace;
  beforeEach(async () => {
    where = await newWorkspace(app);
  });

  it('also erases by a session or by a pair of metadata, and nothing else', async () => {
    const [first, second] = [person(), person()];
    await speak(where, first);
    await speak(where, second);
    expect((await erase(where, { session_id: `of-${first.id}` })).counts).toMatchObject({ traces: 1, spans: 2 });
    const log = await report(where, second);
    await where.me.post('/rest/track-metadata', { request_id: log, metadata: { plan: 'pro' } });
    expect((await erase(where, { metadata: { key: 'plan', value: 'pro' } })).counts).toMatchObject({ request_logs: 1 });
    expect((await erase(where, { user_id: second.id })).counts).toMatchObject({ traces: 1, request_logs: 1 });
    expect((await erase(where, { user_id: second.id })).counts).toEqual({});
  });

  it('is the one that is under way when it is asked for again', async () => {
    const who = person();
    await app.sql('UPDATE erasures SET lease_until = NULL');
    const [first, again, tried] = await Promise.all([
      startErasure(where, { user_id: who.id }),
      startErasure(where, { user_id: who.id }),
      startErasure(where, { user_id: who.id, dry_run: true }),
    ]);
    const ids = new Set([first.id, again.id]);
    expect(ids.has(tried.id)).toBe(false);
    for (const each of [first, again, tried]) expect((await finishedErasure(where, each)).status).toBe('completed');
    const list = (await where.me.get(where.erasures)) as { data: Erasure[] };
    expect(list.data.length).toBe(ids.size + 1);
  });

  it('finds what arrives while it runs', async () => {
    const who = person();
    for (let count = 0; count < 3; count++) await speak(where, who);
    const begun = await startErasure(where, { user_id: who.id });
    await speak(where, who);
    expect((await finishedErasure(where, begun)).status).toBe('completed');
    const left = (await where.me.post('/api/public/v2/traces/search', {
      filter_group: { filters: [{ field: 'user_id', operator: 'is', value: who.id }] },
    })) as { items: unknown[] };
    // The erasure has deleted all traces that arrived before its last check. The next one finds later traces.
    if (left.items.length > 0) expect((await erase(where, { user_id: who.id })).counts.traces).toBe(left.items.length);
  });

  it('leaves a short id alone where it may mean something else', async () => {
    const sheet = await newSheet(where.me, ['7', 'seven']);
    await send(where.me, [llmSpan({ more: { 'user.id': '7' } })]);
    expect((await erase(where, { user_id: '7' })).counts).toMatchObject({ traces: 1 });
    expect((await readRows(where.me, sheet)).data).toHaveLength(2);
  });

  it('is refused without a person, with two, and to keys without ADMIN', async () => {
    const bad = [
      {},
      { user_id: '' },
      { user_id: ' ' },
      { user_id: null },
      { user_id: 7 },
      { user_id: 'x'.repeat(1025) },
      { user_id: 'a', session_id: 'b' },
      { metadata: {} },
      { metadata: 'x' },
      { metadata: { key: 'a' } },
      { metadata: [] },
      { metadata: { key: 'a', value: 7 } },
      { metadata: null },
      { user_id: 'a', dry_run: 'yes' },
      { userid: 'a' },
    ];
    for (const body of bad)
      expect([body, (await where.me.request('POST', where.erasures, body)).status]).toEqual([body, 422]);
    for (const user_id of ['a\0b', '\ud800', '💡'.repeat(500), `a"b\\c'd%_`]) {
      expect((await erase(where, { user_id })).counts).toEqual({});
    }
    const keys = where.erasures.replace('erasures', 'api-keys');
    const { secret } = (await where.me.post(keys, { role: 'member' }, 201)) as { secret: string };
    await app.clientWith(secret).post(where.erasures, { user_id: 'a' }, 403);
    const other = await newWorkspace(app);
    await other.me.post(where.erasures, { user_id: 'a' }, 404);
    const theirs = await startErasure(other, { user_id: 'a', dry_run: true });
    await where.me.get(`${where.erasures}/${theirs.id}`, 404);
    await where.me.get(`${where.erasures}/nothing`, 422);
  });
});
