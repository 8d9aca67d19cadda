import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { erase, newWorkspace, untilCaughtUp, type Workspace } from '../support/erasures.js';
import {
  addColumn,
  type ImportOperation,
  newSheet,
  readRows,
  settled,
  TABLES,
  type TestSheet,
  valuesOf,
} from '../support/factories.js';
import { ECHO, inlinePrompt } from '../support/model-app.js';
import { newGroup, versionFromLogs } from '../support/datasets.js';
import { askFor, decide, readChange } from '../support/label-changes.js';
import { spanId } from '../support/otlp.js';
import { joinWorkspace } from '../support/people.js';
import { publishPrompt } from '../support/prompts.js';
import { answerItem, newQueue, nextItem, readItem } from '../support/reviews.js';
import { textSheet } from '../support/scores.js';
import { changeFeed, newFeed } from '../support/feeds.js';
import { createMonitor, evaluated, logCalls, MONITORS } from '../support/monitors.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { resultsOf, saveWorkflow, startRun } from '../support/workflow-runs.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

/** Makes a dry run and then the erasure, which must agree. Returns the erased counts. */
async function eraseAsCounted(where: Workspace, who: object): Promise<Record<string, number>> {
  await untilCaughtUp(app, where);
  const tried = await erase(where, { ...who, dry_run: true });
  const done = await erase(where, who);
  expect([tried.error_message, done.error_message]).toEqual([null, null]);
  expect(tried.counts).toEqual(done.counts);
  return done.counts;
}

const titlesLeft = async ({ me }: Workspace, sheet: TestSheet) => (await valuesOf(me, sheet)).map(([, text]) => text);

const NAMING = [
  '% ',
  'x % y',
  '(%)',
  'user_id=%',
  '"%",',
  'Ask %.',
  '{"who":"%"}',
  'to\n%\nand',
  '用户%的',
  '%님',
  'é-%, %',
];
const OTHERS = ['%LE', 'x%2', '_%', 'é%', '%.com', '%@example.com', 'www.%', '%-2', 'nobody'];

describe('a label change that names a person', () => {
  it('keeps its request, with a hash instead of the name in both reasons', async () => {
    const where = await newWorkspace(app);
    const approver = await joinWorkspace(app, where.me, where.id, ['approver']);
    await publishPrompt(where.me, 'greeting');
    const rules = { protected_labels: ['prod'], approval_labels: ['prod'] };
    await where.me.patch(`/api/admin/v1/workspaces/${where.id}/settings`, rules);
    const wanted = { kind: 'prompt', item: 'greeting', label: 'prod', version_number: 1 };
    const { id } = await askFor(where.me, { ...wanted, reason: 'As user-4711 asked' });
    await decide(approver.browser, { id }, 'reject', { reason: 'user-4711 was wrong' });
    expect(await eraseAsCounted(where, { user_id: 'user-4711' })).toMatchObject({ label_changes: 1 });
    const change = await readChange(where.me, id);
    expect(change.state).toBe('rejected');
    expect([change.reason, change.decision_reason]).toEqual([
      expect.stringMatching(/^As (?!user-4711)\S+ asked$/),
      expect.stringMatching(/^(?!user-4711)\S+ was wrong$/),
    ]);
  });
});

describe('a comment of a review that names a person', () => {
  it('keeps its answer, with a hash instead of the name', async () => {
    const where = await newWorkspace(app);
    const sheet = await newSheet(where.me, ['a text']);
    const queue = await newQueue(where.me, { subject: 'row', sheet_id: sheet.id }, { row_indices: [0] });
    const item = (await nextItem(where.me, queue))!;
    await answerItem(where.me, queue, item.id, true, 'As user-4711 said');
    expect(await eraseAsCounted(where, { user_id: 'user-4711' })).toMatchObject({ review_comments: 1 });
    expect((await readItem(where.me, queue, item.id)).answers).toMatchObject([
      { answer: true, comment: expect.stringMatching(/^As (?!user-4711)\S+ said$/) },
    ]);
  });
});

describe('a cell that names a person', () => {
  it.each([
    'user-4711',
    'anna.b@example.com',
    'a+b(c)[d]$^|*?{2}\\e',
    '用户-四七一一',
    'Anna Maria Ö.',
    `it's "me"\t!`,
  ])('is erased for %j wherever it is a word, but not where it is part of another id', async (who) => {
    const where = await newWorkspace(app);
    const texts = (patterns: string[]) => patterns.map((pattern) => pattern.replaceAll('%', () => who));
    const others = texts(OTHERS);
    const all = [...texts(NAMING), JSON.stringify({ deep: JSON.stringify({ who }) }), ...others];
    const sheet = await textSheet(
      where.me,
      ['Said', 'Other'],
      all.map((text) => [text, 'x']),
    );
    const counts = await eraseAsCounted(where, { user_id: who });
    expect(await titlesLeft(where, sheet)).toEqual(others);
    expect(counts).toEqual({ rows: all.length - others.length, cells: 2 * (all.length - others.length) });
  });

  it('counts for a short id only after its key', async () => {
    const where = await newWorkspace(app);
    const others = ['7', 'of 7', 'user_id=77', '{"user_id": "7 of 9"}', 'last_user_id=7', '{"user_id": null}'];
    const all = ['user_id=7', 'the userId: 7.', '{"user_id": "7"}', '{"user_id":7}', '?user_id=7&x', ...others];
    const sheet = await textSheet(
      where.me,
      ['Said'],
      all.map((text) => [text]),
    );
    await eraseAsCounted(where, { user_id: '7' });
    expect(await titlesLeft(where, sheet)).toEqual(others);
    expect(await eraseAsCounted(where, { user_id: 'null' })).toEqual({});
  });
});

/** Waits for an import into a sheet of a table. */
async function imported({ me }: Workspace, { tableId, path }: TestSheet, body: object): Promise<void> {
  const { operation_id: id } = (await me.post(`${path}/imports/request-logs`, body, 202)) as { operation_id: string };
  await until(async () => {
    const operation = `${TABLES}/${tableId}/sheets/operations/${encodeURIComponent(id)}`;
    return ((await me.get(operation)) as { operation: ImportOperation }).operation.status === 'completed';
  });
}

describe('a dry run', () => {
  it('counts the data that the erasure deletes, at any distance from the name of the person', async () => {
    const where = await newWorkspace(app);
    const { me } = where;
    const who = `user-${spanId()}`;

    // The first row names the person. What a model made of its other cell does not, and neither do all the copies of that.
    const source = await textSheet(
      me,
      ['Who', 'Note'],
      [
        [`asked by ${who}.`, 'a secret'],
        ['nobody', 'else'],
      ],
    );
    await addColumn(me, source, {
      title: 'Echo',
      type: 'PROMPT_TEMPLATE',
      config: {
        inline_template: inlinePrompt('Repeat {thing}', ECHO),
        prompt_template_variable_mappings: { thing: 'Note' },
      },
    });
    await settled(me, source);
    const ofSheet = {
      filters: [{ field: 'metadata', operator: 'key_equals', nested_key: 'sheet_id', value: source.id }],
    };
    const logs = await newSheet(me);
    await imported(where, logs, { filter_group: ofSheet, include_fields: ['input_text'] });
    const [{ id: inputId, title }] = (await readRows(me, logs)).columns;
    await addColumn(me, logs, {
      title: 'Again',
      type: 'PROMPT_TEMPLATE',
      config: {
        inline_template: inlinePrompt('Once more {thing}', ECHO),
        prompt_template_variable_mappings: { thing: title },
      },
    });
    await settled(me, logs);
    const ofLogs = { filters: [{ ...ofSheet.filters[0], value: logs.id }] };
    const group = await newGroup(me);
    await versionFromLogs(me, group.id, { filter_group: ofLogs });
    const mirror = await newSheet(me, ['own', 'own', 'own']);
    const config = { source_table_id: logs.tableId, source_sheet_id: logs.id, source_column_id: inputId };
    await addColumn(me, mirror, { title: 'Mirror', type: 'COMPOSITION', config });
    await settled(me, mirror);

    // A cell that named the person until it was edited, and a run that only the client assigns to the person.
    const edited = await textSheet(me, ['Said'], [[`(${who})`], ['other']]);
    const { data } = await readRows(me, edited);
    await me.patch(`${edited.path}/cells/${data[0]!.cells[edited.ids[0]!]!.id}`, { value: 'nothing' });
    const flow = await saveWorkflow(me, {
      inputs: { text: 'string' },
      nodes: [
        { name: 'Words', node_type: 'COUNT', configuration: { source: 'text', type: 'words' }, dependencies: ['text'] },
      ],
    });
    for (const customer of [`of ${who}`, 'nobody']) {
      await resultsOf(me, await startRun(me, flow.id, { text: 'a secret' }, { metadata: { customer } }));
    }

    const counts = await eraseAsCounted(where, { user_id: who });
    expect(counts).toMatchObject({ rows: 6, traces: 2, request_logs: 2, workflow_runs: 1 });
    expect(counts).toHaveProperty('kept_results');
    expect(await titlesLeft(where, source)).toEqual(['nobody']);
    for (const sheet of [logs, edited])
      expect(JSON.stringify((await readRows(me, sheet)).data)).not.toContain('secret');
    expect(await eraseAsCounted(where, { user_id: who })).toEqual({});
  });
});

describe('a saved view that names a person', () => {
  it('is deleted, and others stay', async () => {
    const where = await newWorkspace(app);
    const save = (name: string, query: object) =>
      where.me.post('/api/public/v2/saved-views', { screen: 'traces', name, query }, 201);
    await save('Somebody', { user: 'user-4711' });
    await save('A filter', { f: 'user_id is user-4711\ncost gt 1' });
    await save('Somebody else', { user: 'user-47111' });
    expect(await eraseAsCounted(where, { user_id: 'user-4711' })).toMatchObject({ saved_views: 2 });
    const { data } = (await where.me.get('/api/public/v2/saved-views')) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['Somebody else']);
  });
});

describe('a monitor that names a person', () => {
  it('is deleted, and others stay', async () => {
    const where = await newWorkspace(app);
    const filters = [{ field: 'user_id', operator: 'is', value: 'user-4712' }];
    await createMonitor(where.me, { name: 'Calls of user-4712' });
    await createMonitor(where.me, { filter_group: { filters } });
    await createMonitor(where.me, { name: 'Calls of user-47121' });
    expect(await eraseAsCounted(where, { user_id: 'user-4712' })).toMatchObject({ monitors: 2 });
    const { data } = (await where.me.get(MONITORS)) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['Calls of user-47121']);
  });

  it('only among its groups stays, without the person', async () => {
    const where = await newWorkspace(app);
    for (const user_id of ['user-4714', 'user-47141'])
      await logCalls(where.me, 6, { status: 'ERROR', metadata: { user_id } });
    const monitor = await evaluated(where.me, await createMonitor(where.me, { by: 'user' }));
    expect(monitor).toMatchObject({ open_alerts: 2, latest: [{ group: 'user-4714' }, { group: 'user-47141' }] });
    // The alert of the person and the last evaluation.
    expect(await eraseAsCounted(where, { user_id: 'user-4714' })).toMatchObject({ monitors: 2 });
    await app.sweep('monitors');
    const { latest, open_alerts: open } = await evaluated(where.me, monitor);
    expect([open, latest.map(({ group }) => group)]).toEqual([1, ['user-47141']]);
  });
});

describe('a feed that names a person', () => {
  it('is deleted, also where earlier settings did, and others stay', async () => {
    const where = await newWorkspace(app);
    const sheet = await newSheet(where.me);
    const filterOf = (value: string) => ({ filters: [{ field: 'user_id', operator: 'is', value }] });
    await newFeed(where.me, sheet, { source: 'requests', name: 'Calls of user-4713' });
    const changed = await newFeed(where.me, sheet, { source: 'requests', filter_group: filterOf('user-4713') });
    await changeFeed(where.me, changed, { filter_group: null });
    await newFeed(where.me, sheet, { source: 'requests', filter_group: filterOf('user-47131') });
    expect(await eraseAsCounted(where, { user_id: 'user-4713' })).toMatchObject({ feeds: 2 });
    const { data } = (await where.me.get(`${sheet.path}/feeds`)) as { data: unknown[] };
    expect(data).toHaveLength(2);
    const [{ count }] = (await app.sql(
      `SELECT count(*)::int AS count FROM feed_revisions WHERE settings::text LIKE '%user-4713"%'`,
    )) as [{ count: number }];
    expect(count).toBe(0);
  });
});
