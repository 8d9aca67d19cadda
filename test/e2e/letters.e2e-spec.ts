import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import { llmSpan, send } from '../support/otlp.js';
import { idsOf, search } from '../support/request-logs.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';

/** Texts, and queries that find them, in different Unicode forms. */
const TEXTS: [string, string[]][] = [
  ['Une Café à Besançon', ['Cafe\u0301', 'BESANC\u0327ON', 'café']],
  ['un the\u0301 e\u0301te\u0301', ['été', 'ÉTÉ', 'thé']],
  ['Tiếng Việt', ['Vie\u0323\u0302t', 'tiê\u0301ng']],
  ['환불요청 처리가 안됩니다', ['환불', '요청', '처리', '처리가', '불요', '\u1112\u116a\u11ab\u1107\u116e\u11af']],
  ['ﾗｰﾒﾝを注文', ['ラーメン', 'ﾗｰﾒﾝ']],
  ['Ｆｕｌｌｗｉｄｔｈ ｗｏｒｄｓ', ['fullwidth', 'words']],
  ['\ufee3\ufeae\ufea3\ufe92\ufe8e', ['مرحبا']],
  ['İstanbul büyük', ['istanbul', 'I\u0307STANBUL', 'BÜYÜK']],
  ['Die Straße der Größe', ['STRASSE', 'straße', 'grösse']],
  ['eﬃcient oﬀice', ['efficient', 'office']],
];

let app: TestApp;
let me: Client;

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  await send(
    me,
    TEXTS.map(([input], index) => llmSpan({ input, output: 'x', model: `model-${index}` }, { name: `span ${index}` })),
  );
});
afterAll(() => app.stop());

const numbers = (models: string[]) => models.map((model) => Number(model.replace(/\D+/g, ''))).sort();
const logs = async (body: object) => numbers((await search(me, body)).items.map(({ engine }) => engine));
const traces = async (body: object) =>
  numbers(((await me.post(SEARCH, body)) as { items: { name: string }[] }).items.map(({ name }) => name));

describe.each(['before they are indexed', 'from the index'])('texts are found %s', (when) => {
  beforeAll(async () => {
    if (when !== 'from the index') return;
    await untilSearchable(app);
  });

  it.each(TEXTS.flatMap(([text, wanted], index) => wanted.map((q) => [text, q, index] as const)))(
    '%s by %s',
    async (_, q, index) => {
      expect(await logs({ q })).toEqual([index]);
      expect(await traces({ q })).toEqual([index]);
      const filter = (field: string) => ({ filter_group: { filters: [{ field, operator: 'contains', value: q }] } });
      expect(await logs(filter('input_text'))).toEqual([index]);
    },
  );
});

it('returns stored texts as they were sent', async () => {
  const [, [text]] = TEXTS as [unknown, [string]];
  const { items } = await search(me, { q: 'été' });
  const [stored] = (await app.sql('SELECT input::text AS input FROM request_logs WHERE id = $1', [items[0]!.id])) as {
    input: string;
  }[];
  expect(stored!.input).toContain(text);
});

it('finds tags and metadata in the other way to write them', async () => {
  const client = await app.stranger();
  const body = {
    provider: 'openai',
    model: 'm',
    request_start_time: new Date().toISOString(),
    request_end_time: new Date().toISOString(),
    input: { type: 'completion', content: [{ type: 'text', text: 'x' }] },
    output: { type: 'completion', content: [{ type: 'text', text: 'y' }] },
    tags: ['cafe\u0301'],
    metadata: { city: 'Besançon' },
  };
  const { id } = (await client.post('/log-request', body, 201)) as { id: number };
  for (const filter of [
    { field: 'tags', operator: 'contains', value: 'café' },
    { field: 'metadata', operator: 'key_equals', nested_key: 'city', value: 'Besanc\u0327on' },
    { field: 'metadata', operator: 'key_contains', nested_key: 'city', value: 'NC\u0327ON' },
  ]) {
    expect(idsOf(await search(client, { filter_group: { filters: [filter] } })), filter.field).toEqual([id]);
  }
});

it('compares texts of cells and titles of columns alike', async () => {
  const sheet = await newSheet(me, ['Cafe\u0301 und Straße']);
  await addColumn(me, sheet, { title: 'Größe', type: 'TEXT' });
  const config = { source: 'Column A', value: 'CAFÉ UND STRASSE' };
  const contains = await addColumn(me, sheet, { title: 'Contains', type: 'CONTAINS', config });
  const exact = await addColumn(me, sheet, {
    title: 'Exactly',
    type: 'CONTAINS',
    config: { source: 'Column A', value: 'Café', case_sensitive: true },
  });
  await addColumn(me, sheet, { title: 'Size', type: 'COUNT', config: { source: 'Gro\u0308ße', type: 'chars' } });
  await settled(me, sheet);
  expect((await cellsOf(me, sheet, contains.id))[0]!.value).toBe(true);
  expect((await cellsOf(me, sheet, exact.id))[0]!.value).toBe(true);
});
