import { Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PromptReference } from '../../src/llm/shared/prompt-reference.js';
import { JsonObjectField } from '../../src/platform/http/fields.js';
import type { JsonObject } from '../../src/platform/json.js';
import { ColumnType, type ComputingColumnType } from '../../src/grid/column-type/column-type.js';
import type { Client } from '../support/client.js';
import { addColumn, importLogs, newSheet, type Page, type TestSheet, TABLES, valuesOf } from '../support/factories.js';
import { llmSpan, logCall, readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { deletePrompt, publishPrompt, type PublishedPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

/** A column that asks a prompt, in as far as lists are concerned. */
class AskConfig {
  @JsonObjectField()
  prompt: JsonObject;
}

@ColumnType({
  name: 'ASK',
  title: 'Ask',
  description: 'Refers to a prompt.',
  kind: 'deterministic',
  output: 'text',
  config: AskConfig,
})
class AskColumnType implements ComputingColumnType<AskConfig> {
  compute(): string {
    return 'asked';
  }

  prompts({ prompt }: AskConfig): PromptReference[] {
    return [{ id: null, name: null, version: null, label: null, ...prompt }];
  }
}

@Module({ providers: [AskColumnType] })
class AskingModule {}

let app: TestApp;
let me: Client;
/** "linked" has versions 1 to 3; "prod" is on version 2. */
let versions: PublishedPrompt[];
let id: number;

beforeAll(async () => {
  app = await TestApp.start({ extensions: [AskingModule] });
  me = app.client;
  versions = [await publishPrompt(me, 'linked')];
  versions.push(await publishPrompt(me, 'linked', { labels: ['prod'] }));
  versions.push(await publishPrompt(me, 'linked'));
  id = versions[0]!.id;
});
afterAll(() => app.stop());

type Tables = Page<{ id: string }> & { filters: Record<string, string> };

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
    ['with a version that cannot be', { name: 'linked', version: 'new' }],
    ['with version 0, and a label', { name: 'linked', version: '0', label: 'prod' }],
    ['with a label that does not exist', { name: 'linked', label: 'nowhere' }],
  ])('%s is stored without a link', async (_, attributes) => {
    expect(await readLog(await logCall(me, { more: named(attributes) }))).toMatchObject(UNLINKED);
  });

  it('leaves calls of the same request that name none as they are, and those of later requests', async () => {
    const stranger = await app.stranger();
    const mixed = await publishPrompt(stranger, 'mixed');
    const trace = traceId();
    const calls = [{}, {}, { more: named({ name: 'mixed' }) }, {}].map((call) => llmSpan(call, { traceId: trace }));
    await send(stranger, calls);
    const prompts = new Map((await readSpans(stranger, trace)).map((stored) => [stored.span_id, stored.prompt_id]));
    expect(calls.map((call) => prompts.get(String(call.spanId)))).toEqual([null, null, mixed.id, null]);
    for (let n = 0; n < 110; n++) await send(stranger, [llmSpan({}, { traceId: trace })]);
    const spans = await readSpans(stranger, trace);
    expect(spans.filter((stored) => stored.prompt_id !== null)).toHaveLength(1);
    expect(new Set(spans.map((stored) => stored.request_log_id)).size).toBe(114);
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
    expect(row).toEqual(expect.arrayContaining([requests[0], 'searched', 1]));
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

  const asking = (prompt: object) => ({ title: `Asks ${JSON.stringify(prompt)}`, type: 'ASK', config: { prompt } });

  /** Sheets whose columns refer to version 1, to "prod", to the latest version, to both, and to nothing. */
  beforeAll(async () => {
    sheets = [];
    const columns = [[{ name: 'linked', version: 1 }], [{ name: 'linked', label: 'prod' }], [{ name: 'linked' }]];
    for (const prompts of [...columns, [...columns[0]!, ...columns[1]!], [], [{ name: 'nobody' }]]) {
      const sheet = await newSheet(me, ['text']);
      for (const prompt of prompts) await addColumn(me, sheet, asking(prompt));
      sheets.push(sheet);
    }
    const { release_labels: labels } = (await me.get('/prompt-templates/linked/labels')) as Labels;
    label = labels[0]!.release_label_id;
  });

  const cases = (): [query: string, sheets: number[]][] => [
    [`prompt_id=${id}`, [0, 1, 2, 3]],
    [`prompt_version_id=${versions[0]!.prompt_version_id}`, [0, 3]],
    [`prompt_version_id=${versions[1]!.prompt_version_id}`, []],
    [`prompt_label_id=${label}`, [1, 3]],
    [`prompt_id=${id}&prompt_label_id=${label}`, [1, 3]],
    // Each by a column of its own.
    [`prompt_version_id=${versions[0]!.prompt_version_id}&prompt_label_id=${label}`, [3]],
    ['prompt_id=999999', []],
    ['prompt_version_id=999999', []],
    ['prompt_label_id=999999', []],
  ];

  it('show those with a column that refers to a prompt, a version of it, or a label', async () => {
    for (const [query, expected] of cases()) {
      const { data, filters } = (await me.get(`${TABLES}?${query}&limit=100`)) as Tables;
      const shown = sheets.flatMap((sheet, at) => (data.some((table) => table.id === sheet.tableId) ? [at] : []));
      expect([query, shown]).toEqual([query, expected]);
      expect(new URLSearchParams(Object.entries(filters)).toString()).toBe(query);
      for (const [at, sheet] of sheets.entries()) {
        const { count } = (await me.get(`${TABLES}/${sheet.tableId}/sheets?${query}`)) as Tables;
        expect([query, at, count]).toEqual([query, at, expected.includes(at) ? 1 : 0]);
      }
    }
  });

  it('find a column by a label that was put on the prompt after it was made', async () => {
    const prompt = await publishPrompt(me, 'labelled later');
    const sheet = await newSheet(me);
    await addColumn(me, sheet, asking({ name: 'labelled later', label: 'late' }));
    const target = { name: 'late', prompt_version_number: 1 };
    const late = (await me.post(`/prompts/${prompt.id}/label`, target)) as { id: number };
    expect(await me.get(`${TABLES}?prompt_label_id=${late.id}`)).toMatchObject({ data: [{ id: sheet.tableId }] });
  });

  it('go on in pages under the same filters only', async () => {
    const url = `${TABLES}?prompt_id=${id}&limit=3`;
    const first = (await me.get(url)) as Tables;
    const second = (await me.get(`${url}&cursor=${first.next_cursor}`)) as Tables;
    expect([first.count, second.count, second.has_more]).toEqual([3, 1, false]);
    await me.get(`${TABLES}?prompt_label_id=${label}&cursor=${first.next_cursor}`, 400);
  });

  it('show nothing of it to another workspace', async () => {
    const stranger = await app.stranger();
    await newSheet(stranger);
    expect(await stranger.get(`${TABLES}?prompt_id=${id}`)).toMatchObject({ data: [] });
  });
});
