import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORD_LIMITS } from '../../src/text-search/segments/listed-words.js';
import type { Client } from '../support/client.js';
import { at as startingAt, logCall, send, span, text, traceId } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';

/** More words than the index stores as terms. The last ones are not in it. */
const MANY = WORD_LIMITS.asTerms + 500;
const LAST = 'lapwing 如何申请退款 รถไฟไทย 東京タワー 漢字abc';

/** Spans of the traces, with a hundred values each. */
const SPANS = 45;
const NO_TEXT = { type: 'completion', content: [], input_variables: [] };

const wordOf = (of: string, number: number) => `${of}${number.toString(36).padStart(4, 'z')}`;
const manyWords = (of: string) => Array.from({ length: MANY }, (_, number) => wordOf(of, number)).join(' ');

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: { SEARCHES_PER_MINUTE: '0' } });
});
afterAll(() => app.stop());

describe('request logs with very many different words', () => {
  let me: Client;
  let ids: number[];
  let small: number;
  beforeAll(async () => {
    me = await app.stranger();
    ids = [];
    for (const of of ['a', 'b', 'c']) ids.push(await logCall(me, { input: `${manyWords(of)}\n${LAST} ${of}last` }));
    small = await logCall(me, { input: 'a lapwine' });
    await untilSearchable(app);
  });

  const find = async (query: object) => {
    const found = (await me.post('/api/public/v2/requests/search', query)) as { items: { id: number }[] };
    expect(found).toMatchObject({ total: found.items.length, total_is_exact: true });
    return found.items.map(({ id }) => id).toSorted((a, b) => a - b);
  };
  const containing = (value: string) => ({
    filter_group: { filters: [{ field: 'input_text', operator: 'contains', value }] },
  });
  const near = (of: string, number: number) => `${wordOf(of, number)} ${wordOf(of, number + 1)}`;

  it('are found by phrases and by parts of words', async () => {
    expect(await find({ q: `"${near('b', MANY - 2)}"` })).toEqual([ids[1]]);
    expect(await find({ q: `"${near('b', 7)}"` })).toEqual([ids[1]]);
    expect(await find({ q: `"${wordOf('b', MANY - 1)} ${wordOf('b', MANY - 2)}"` })).toEqual([]);
    expect(await find({ q: '"lapwing 如何申"' })).toEqual(ids);
    expect(await find(containing(near('b', MANY - 2).slice(1)))).toEqual([ids[1]]);
    expect(await find(containing('apwing'))).toEqual(ids);
    expect(await find(containing('apwin'))).toEqual([...ids, small]);
  });

  it('are found by all their words without a look at their texts', async () => {
    // Disabled triggers keep the logs out of the index queue.
    await app.inTransaction(async (sql) => {
      await sql('ALTER TABLE request_logs DISABLE TRIGGER USER');
      await sql('UPDATE request_logs SET input = $1 WHERE id = ANY($2)', [NO_TEXT, ids]);
      await sql('ALTER TABLE request_logs ENABLE TRIGGER USER');
    });
    for (const number of [0, WORD_LIMITS.asTerms - 1, WORD_LIMITS.asTerms, MANY - 1]) {
      expect(await find({ q: wordOf('b', number) })).toEqual([ids[1]]);
    }
    expect(await find({ q: `${wordOf('c', 3)} ${wordOf('c', MANY - 3)}` })).toEqual([ids[2]]);
    expect(await find({ q: `${wordOf('c', MANY - 3)} ${wordOf('b', MANY - 3)}` })).toEqual([]);
    expect(await find({ q: 'alas' })).toEqual([ids[0]]);
    for (const q of ['lapwing', '申请退款', 'ไทย', 'タワー', 'abc']) expect([q, await find({ q })]).toEqual([q, ids]);
    expect(await find({ q: 'lapw' })).toEqual([...ids, small]);
    expect(await find({ q: 'nowhere' })).toEqual([]);
  });
});

describe('traces with very many different words or values', () => {
  let me: Client;
  const [large, valued, small] = [traceId(), traceId(), traceId()];
  const said = (id: string, value: string, second = 0) =>
    span({ traceId: id, ...startingAt(second), attributes: [text('input.value', value)] });
  beforeAll(async () => {
    me = await app.stranger();
    const words = manyWords('d').split(' ');
    const share = Math.ceil(words.length / SPANS);
    const spans = Array.from({ length: SPANS }, (_, number) =>
      said(large, words.slice(number * share, (number + 1) * share).join(' '), number),
    );
    await send(me, [...spans, said(large, `${LAST} dlast`, SPANS)]);
    const values = (number: number) =>
      Array.from({ length: 100 }, (_, key) => text(`own.key${key}`, `value ${number} ${key}`));
    const valuedSpans = Array.from({ length: SPANS }, (_, number) =>
      span({ traceId: valued, ...startingAt(number), attributes: values(number) }),
    );
    await send(me, [...valuedSpans, said(valued, `${LAST} valued`)]);
    await send(me, [said(small, `${LAST} small`)]);
    await untilSearchable(app);
  });

  const find = async (query: object) => {
    const found = (await me.post('/api/public/v2/traces/search', query)) as { items: { trace_id: string }[] };
    return found.items.map((each) => each.trace_id).toSorted();
  };
  const all = [large, valued, small].toSorted();

  /** Words of languages that set none apart, and a word behind one of them. */
  async function findsAll(): Promise<void> {
    for (const q of ['lapwing', '申请退款', 'ไทย', 'タワー', 'abc']) expect(await find({ q })).toEqual(all);
    for (const q of ['"请申"', 'bc', '"漢 abc"']) expect(await find({ q })).toEqual([]);
    expect(await find({ q: 'タワー small' })).toEqual([small]);
    expect(await find({ q: wordOf('d', MANY - 1) })).toEqual([large]);
  }

  it('leave words of all languages to be found, in traces that wait for the index as well', async () => {
    await app.sql(
      `INSERT INTO trace_search_queue (workspace_id, trace_id, generation, due_at)
       SELECT workspace_id, trace_id, 1, now() + interval '1 hour' FROM traces WHERE trace_id = ANY($1)`,
      [all],
    );
    await findsAll();
    await app.sql('DELETE FROM trace_search_queue WHERE trace_id = ANY($1)', [all]);
  });

  it('are found by all their values, and with a word', async () => {
    const filters = [
      { field: 'span_attributes', operator: 'key_equals', nested_key: 'own.key99', value: `value ${SPANS - 1} 99` },
    ];
    expect(await find({ filter_group: { filters } })).toEqual([valued]);
    expect(await find({ filter_group: { filters }, q: '申请退款' })).toEqual([valued]);
    expect(await find({ filter_group: { filters }, q: 'small' })).toEqual([]);
  });

  it('leave words of all languages to be found without a look at texts', async () => {
    await app.sql(`UPDATE span_search SET input = NULL, output = NULL WHERE trace_id = ANY($1)`, [all]);
    for (const q of ['lapwing', '申请退款', 'ไทย', 'タワー', 'abc']) expect(await find({ q })).toEqual(all);
    for (const q of ['bc', 'nowhere']) expect(await find({ q })).toEqual([]);
    expect(await find({ q: `${wordOf('d', 1)} ${wordOf('d', MANY - 1)}` })).toEqual([large]);
  });
});
