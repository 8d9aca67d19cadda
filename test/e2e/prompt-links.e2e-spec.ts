import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { importLogs, newSheet, type Page, type TestSheet, TABLES, valuesOf } from '../support/factories.js';
import { llmSpan, logCall, readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { deletePrompt, publishPrompt, type PublishedPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
/** "linked" has versions 1 to 3; "prod" is on version 2. */
let versions: PublishedPrompt[];
let id: number;

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  versions = [await publishPrompt(me, 'linked')];
  versions.push(await publishPrompt(me, 'linked', { labels: ['prod'] }));
  versions.push(await publishPrompt(me, 'linked'));
  id = versions[0]!.id;
});
afterAll(() => app.stop());

interface Labels {
  release_labels: { release_label_id: number }[];
}

const UNLINKED = { prompt_id: null, prompt_name: null, prompt_version_number: null };
const linked = (version: number) => ({ prompt_id: id, prompt_name: 'linked', prompt_version_number: version });

async function readLog(request: number, client = me) {
  return (await client.get(`/api/public/v2/requests/${request}`)) as ReturnType<typeof linked>;
}

const named = (attributes: Record<string, string>) =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`promptlayer.prompt.${key}`, value]));

describe('a call that names a prompt', () => {
  it.each([
    ['by name, the latest version', { name: 'linked' }, 3],
    ['by name and version', { name: 'linked', version: '1' }, 1],
    ['by name and label', { name: 'linked', label: 'prod' }, 2],
    ['by version and label: the version counts', { name: 'linked', version: '1', label: 'prod' }, 1],
  ])('%s', async (_, attributes, version) => {
    expect(await readLog(await logCall(me, { more: named(attributes) }))).toMatchObject(linked(version));
  });

  it('by id, which counts more than the name', async () => {
    const other = await publishPrompt(me, 'other');
    const byId = await logCall(me, { more: named({ id: String(id), name: 'other' }) });
    const byUnknownId = await logCall(me, { more: named({ id: '999999', name: 'other' }) });
    expect(await readLog(byId)).toMatchObject(linked(3));
    expect(await readLog(byUnknownId)).toMatchObject({ prompt_id: other.id, prompt_version_number: 1 });
  });

  it.each([
    ['that does not exist', { name: 'nobody' }],
    ['with a version that does not exist', { name: 'linked', version: '9' }],
    ['with a label that does not exist', { name: 'linked', label: 'nowhere' }],
  ])('%s is stored without a link', async (_, attributes) => {
    expect(await readLog(await logCall(me, { more: named(attributes) }))).toMatchObject(UNLINKED);
  });

  it('never finds the prompt of another workspace', async () => {
    const stranger = await app.stranger();
    const request = await logCall(stranger, { more: named({ name: 'linked' }) });
    const byId = await logCall(stranger, { more: named({ id: String(id) }) });
    expect(await readLog(request, stranger)).toMatchObject(UNLINKED);
    expect(await readLog(byId, stranger)).toMatchObject(UNLINKED);
  });

  it('keeps its link, name and version when the prompt is deleted', async () => {
    const gone = await publishPrompt(me, 'gone');
    const request = await logCall(me, { more: named({ name: 'gone' }) });
    await deletePrompt(me, gone.id);
    const later = await logCall(me, { more: named({ name: 'gone' }) });
    expect(await readLog(request)).toMatchObject({ prompt_id: gone.id, prompt_name: 'gone', prompt_version_number: 1 });
    expect(await readLog(later)).toMatchObject(UNLINKED);
  });

  it('can be searched for by its prompt', async () => {
    const prompt = await publishPrompt(me, 'searched');
    const requests = [await logCall(me, { more: named({ name: 'searched' }) })];
    const sheet = await newSheet(me);
    const filter_group = { filters: [{ field: 'prompt_id', operator: 'is', value: prompt.id }] };
    await importLogs(me, sheet, {
      filter_group,
      include_fields: ['request_id', 'prompt_name', 'prompt_version_number'],
    });
    const [row] = await valuesOf(me, sheet);
    expect(row).toEqual(expect.arrayContaining([String(requests[0]), 'searched', '1']));
  });
});

describe('a span that names a prompt', () => {
  it('is linked to it, whether or not it is a call of a model', async () => {
    const trace = traceId();
    const name = [text('promptlayer.prompt.name', 'linked'), text('promptlayer.prompt.label', 'prod')];
    const requested = [text('promptlayer.prompt.requested.name', 'linked'), text('node_type', 'PROMPT_TEMPLATE')];
    const [run, fetch, call, plain] = [
      span({ traceId: trace, attributes: name }),
      span({ traceId: trace, attributes: requested }),
      llmSpan({ more: named({ name: 'linked', version: '1' }) }, { traceId: trace }),
      span({ traceId: trace }),
    ];
    await send(me, [run, fetch, call, plain]);
    const spans = new Map((await readSpans(me, trace)).map((each) => [each.span_id, each]));
    const linkOf = ({ spanId: key }: Record<string, unknown>) => {
      const { prompt_id, prompt_version_number } = spans.get(key as string)!;
      return [prompt_id, prompt_version_number];
    };
    expect([run, fetch, call, plain].map(linkOf)).toEqual([
      [id, 2],
      [id, 3],
      [id, 1],
      [null, null],
    ]);
  });

  it('sent again unchanged is no change, though the prompt has a new version by then', async () => {
    const moving = await publishPrompt(me, 'moving');
    const sent = llmSpan({ more: named({ name: 'moving' }) }, { traceId: traceId(), spanId: spanId() });
    await send(me, [sent]);
    await publishPrompt(me, 'moving');
    await send(me, [sent]);
    const [stored] = await readSpans(me, sent.traceId);
    expect(stored).toMatchObject({ prompt_id: moving.id, prompt_version_number: 1 });
    expect(await readLog(stored!.request_log_id!)).toMatchObject({ prompt_version_number: 1 });
  });
});

describe('lists of tables and sheets', () => {
  let sheets: TestSheet[];
  let label: number;

  /** A sheet with the calls of version 1, one with those of version 2, and one with neither. */
  beforeAll(async () => {
    const filters = (version: number) => [
      { field: 'prompt_id', operator: 'is', value: id },
      { field: 'prompt_version_number', operator: 'eq', value: version },
    ];
    sheets = [];
    for (const version of [1, 2]) {
      await logCall(me, { more: named({ name: 'linked', version: String(version) }) });
      const sheet = await newSheet(me);
      const imported = await importLogs(me, sheet, { filter_group: { logic: 'AND', filters: filters(version) } });
      expect(imported).toMatchObject({ status: 'completed' });
      sheets.push(sheet);
    }
    sheets.push(await newSheet(me, ['unrelated']));
    label = ((await me.get('/prompt-templates/linked/labels')) as Labels).release_labels[0]!.release_label_id;
  });

  const cases = (): [query: string, sheets: number[]][] => [
    [`prompt_id=${id}`, [0, 1]],
    [`prompt_version_id=${versions[0]!.prompt_version_id}`, [0]],
    [`prompt_label_id=${label}`, [1]],
    [`prompt_id=${id}&prompt_version_id=${versions[1]!.prompt_version_id}`, [1]],
    [`prompt_version_id=${versions[0]!.prompt_version_id}&prompt_label_id=${label}`, []],
    ['prompt_id=999999', []],
    ['prompt_version_id=999999', []],
    ['prompt_label_id=999999', []],
  ];

  it('show those that work on a prompt, on a version of it, or on the version of a label', async () => {
    for (const [query, expected] of cases()) {
      const { data } = (await me.get(`${TABLES}?${query}&limit=100`)) as Page<{ id: string }>;
      const shown = sheets.flatMap((sheet, at) => (data.some((table) => table.id === sheet.tableId) ? [at] : []));
      expect([query, shown]).toEqual([query, expected]);
      for (const [at, sheet] of sheets.entries()) {
        const { count } = (await me.get(`${TABLES}/${sheet.tableId}/sheets?${query}`)) as Page<unknown>;
        expect([query, at, count]).toEqual([query, at, expected.includes(at) ? 1 : 0]);
      }
    }
  });

  it('show nothing of it to another workspace', async () => {
    const stranger = await app.stranger();
    await newSheet(stranger);
    expect(await stranger.get(`${TABLES}?prompt_id=${id}`)).toMatchObject({ data: [] });
  });
});
