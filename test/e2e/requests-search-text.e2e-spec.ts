import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send } from '../support/otlp.js';
import { idsOf, idsOfCursors, idsOfPages, search } from '../support/request-logs.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';

/** Texts of the logs: every third is in English only, every second about a city. */
const TEXTS = Array.from({ length: 30 }, (_, index) => ({
  input: `Question ${index} ${index % 2 === 0 ? 'about Paris in the spring' : 'about nothing'}`,
  output: index % 3 === 0 ? 'plain answer' : 'réponse “simple” answer',
}));

let app: TestApp;
let me: Client;
/** The id of the log of each text. */
let ids: number[];

beforeAll(async () => {
  app = await TestApp.own();
  me = await app.stranger();
  const start = Date.parse('2026-03-01T00:00:00Z');
  const spans = TEXTS.map((text, index) => {
    const at = (ms: number) => `${BigInt(start + index * 1000 + ms) * 1_000_000n}`;
    const model = index % 5 === 0 ? 'gpt-4o' : 'gpt-4o-mini';
    return llmSpan({ ...text, model, inputTokens: index % 4 }, { startTimeUnixNano: at(0), endTimeUnixNano: at(500) });
  });
  await send(me, spans);
  ids = (await idsOfPages(me, { per_page: 25, sort_by: 'request_start_time', sort_order: 'asc' })).slice();
  await untilSearchable(app);
});
afterAll(() => app.stop());

/** Puts some logs back into the queue of the index: results must not depend on it. */
const requeue = (share: number) =>
  app.sql(
    `INSERT INTO request_log_search_queue SELECT workspace_id, id FROM request_logs WHERE id % $1 = 0
     ON CONFLICT DO NOTHING`,
    [share],
  );

const contains = (field: string, value: string) => ({ field, operator: 'contains', value });
const containing = (field: string, value: string, more: object[] = []) => ({
  filter_group: { filters: [contains(field, value), ...more] },
});
const either = (...filters: object[]) => ({ filter_group: { logic: 'OR', filters } });
const gpt4o = { filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'gpt-4o' }] } };

const cases: [string, object, (index: number) => boolean][] = [
  ['a word', { q: 'paris' }, (index) => index % 2 === 0],
  ['the beginning of a word', { q: 'PAR' }, (index) => index % 2 === 0],
  ['two words', { q: 'paris plain' }, (index) => index % 6 === 0],
  ['a word that all have', { q: 'answer' }, () => true],
  ['a phrase', { q: '"in the spring"' }, (index) => index % 2 === 0],
  ['a phrase and a word', { q: '"about paris" réponse' }, (index) => index % 2 === 0 && index % 3 !== 0],
  ['a symbol', { q: '“' }, (index) => index % 3 !== 0],
  ['a word and a filter', { q: 'paris', ...gpt4o }, (index) => index % 10 === 0],
  ['a phrase and a filter', { q: '"plain answer"', ...gpt4o }, (index) => index % 15 === 0],
  ['a text in the input', containing('input_text', 'paris in the SPR'), (index) => index % 2 === 0],
  ['a text of the input in the output', containing('output_text', 'about paris'), () => false],
  [
    'a text and a filter',
    containing('output_text', 'plain answer', gpt4o.filter_group.filters),
    (index) => index % 15 === 0,
  ],
  ['a text and a word', { ...containing('input_text', 'about paris'), q: 'plain' }, (index) => index % 6 === 0],
  [
    'either of two texts',
    either(contains('input_text', 'paris in the SPR'), contains('output_text', 'lain answer')),
    (index) => index % 6 !== 1 && index % 6 !== 5,
  ],
  [
    'either of two texts, and a filter',
    {
      filters: [either(contains('input_text', 'spring'), contains('input_text', 'nobody said')).filter_group],
      ...gpt4o,
    },
    (index) => index % 10 === 0,
  ],
  [
    'a text or another filter',
    either(contains('input_text', 'in the spring'), gpt4o.filter_group),
    (index) => index % 2 === 0 || index % 5 === 0,
  ],
  ['a word that nobody has', { q: 'zebra' }, () => false],
  ['a misspelt word', { q: 'prais' }, (index) => index % 2 === 0],
  ['a beginning with a letter missing', { q: 'Sprng' }, (index) => index % 2 === 0],
  ['misspelt words, a number and a filter', { q: 'quesstion abuot 10', ...gpt4o }, (index) => index === 10],
  ['a misspelt word in quotes', { q: '"prais"' }, () => false],
  ['a word with another first letter', { q: 'baris' }, () => false],
  ['a number with another digit', { q: '1000' }, () => false],
];

describe.each(['indexed', 'partly waiting for the index'])('free text over logs that are %s', (state) => {
  it.each(cases)('finds %s, in any order, page by page', async (_, query, matches) => {
    const expected = ids.filter((_id, index) => matches(index));
    const orders = [
      { sort_by: 'request_start_time', sort_order: 'asc' },
      { sort_by: 'request_start_time', sort_order: 'desc' },
      { sort_by: 'input_tokens', sort_order: 'desc' },
    ];
    for (const order of orders) {
      if (state !== 'indexed') await requeue(3);
      const byTime = order.sort_by === 'request_start_time';
      const sorted = order.sort_order === 'asc' ? expected : expected.toReversed();
      const found = await idsOfPages(me, { ...query, ...order, per_page: 4 });
      expect(byTime ? found : found.toSorted((a, b) => a - b)).toEqual(
        byTime ? sorted : expected.toSorted((a, b) => a - b),
      );
      expect(await idsOfCursors(me, { ...query, ...order, limit: 4 })).toEqual(found);
    }
    expect(await search(me, { ...query, per_page: 25 })).toMatchObject({
      total: expected.length,
      total_is_exact: true,
    });
    expect(idsOf(await search(me, { ...query, page: 9 }))).toEqual([]);
  });
});
