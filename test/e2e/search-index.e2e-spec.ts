import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { LOGS } from '../../src/requests/search/log-document.js';
import { openLogs } from '../../src/requests/search/log-matches.js';
import { ArrivalListeners } from '../../src/arrivals/index.js';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/words/vocabulary.js';
import { parseLogQuery, understandLogQuery } from '../../src/requests/search/request-conditions.js';
import { MergedSegmentsSweep } from '../../src/text-search/merged-segments.sweep.js';
import type { Client } from '../support/client.js';
import { deepIt } from '../support/depth.js';
import { llmSpan, logCall, send, spanId, traceId } from '../support/otlp.js';
import { copyLog } from '../support/request-logs.js';
import { sweeperOf, sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const WORKLESS = { SEARCH_RATE_LIMIT: '0', SUGGESTION_RATE_LIMIT: '0' };

const SEARCH = '/api/public/v2/requests/search';

/** The ids that free text finds, newest first. */
async function find(client: Client, q: string, more: object = {}): Promise<number[]> {
  const { items } = (await client.post(SEARCH, { q, per_page: 25, ...more })) as { items: { id: number }[] };
  return items.map(({ id }) => id);
}

async function queued(app: TestApp): Promise<number> {
  const [row] = (await app.sql('SELECT count(*)::int AS n FROM request_log_search_queue')) as { n: number }[];
  return row!.n;
}

/** The ids of the logs with all of these texts in their inputs. */
function containing(client: Client, ...texts: string[]): Promise<number[]> {
  const filters = texts.map((value) => ({ field: 'input_text', operator: 'contains', value }));
  return find(client, '', { filter_group: { filters } });
}

const indexed = (app: TestApp) => sweepUntil(app, ['request-search'], async () => (await queued(app)) === 0);

describe('a server with a worker', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ env: WORKLESS });
  });
  afterAll(() => app.stop());

  it('puts every log into the index soon after it was stored, without a sweep, and finds it there', async () => {
    const id = await logCall(app.client, { input: 'Where do the puffins breed?', output: 'On the Farne Islands.' });
    expect(await find(app.client, 'puffin')).toEqual([id]);
    await until(async () => (await queued(app)) === 0);
    expect(await app.sql('SELECT FROM search_documents WHERE kind = 1 AND key = $1', [String(id)])).toHaveLength(1);
    expect(await find(app.client, 'FARNE puff')).toEqual([id]);
    expect(await find(app.client, 'farnesse')).toEqual([]);
  });

  it('finds nothing of other workspaces', async () => {
    const stranger = await app.stranger();
    const id = await logCall(app.client, { input: 'a secret heron' });
    const theirs = await logCall(stranger, { input: 'another heron' });
    await indexed(app);
    expect(await find(app.client, 'heron')).toEqual([id]);
    expect(await find(stranger, 'heron')).toEqual([theirs]);
    expect(await find(stranger, 'secret')).toEqual([]);
  });

  it('drops the old words of a log whose span is sent again', async () => {
    const fields = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(app.client, { output: 'The old answer: kestrel' }, fields);
    await indexed(app);
    await send(app.client, [llmSpan({ output: 'The new answer: merlin' }, fields)]);
    expect(await find(app.client, 'kestrel')).toEqual([]);
    expect(await find(app.client, 'merlin')).toEqual([id]);
    await indexed(app);
    expect(await find(app.client, 'kestrel')).toEqual([]);
    expect(await find(app.client, 'merlin')).toEqual([id]);
  });

  it('takes a quoted phrase literally and everything else as beginnings of words', async () => {
    const first = await logCall(app.client, { input: 'The avocet wades and the avocet sleeps' });
    const second = await logCall(app.client, { input: 'Sleeps and wades, the avocet' });
    await indexed(app);
    expect((await find(app.client, 'avocet wades slee')).sort()).toEqual([first, second].sort());
    expect(await find(app.client, '"avocet wades"')).toEqual([first]);
    expect(await find(app.client, '"Wades, the AVO"')).toEqual([second]);
    expect(await find(app.client, '"avocet sleeps" wad')).toEqual([first]);
    expect(await find(app.client, '"vocet wades"')).toEqual([]);
  });

  it('finds phrases that begin with a word, whatever is known of the words beside each other', async () => {
    const crake = await logCall(app.client, { input: 'A spotted crake’s call\nat night, 呼び声' });
    const crakes = await logCall(app.client, {
      input: 'An unspotted crake calls; one is spotted; 声呼びbird.*^$[a|b](c){1}\\?+ “d” ☂ e',
    });
    const bittern = await logCall(app.client, { output: '{"bird": "little bittern", "seen": [1, 2]}' });
    const all = [bittern, crakes, crake];
    const ofTheseLogs = (found: number[]) => found.filter((id) => all.includes(id));
    const expected: [string, number[]][] = [
      ['"spotted crake"', [crake]],
      ['"spotted cra"', [crake]],
      ['"unspotted crake c"', [crakes]],
      ['"Crakes call"', [crake]],
      ['"crake calls"', [crakes]],
      ['"call at night"', []],
      ['"call\nat night"', [crake]],
      ['"び声"', [crake]],
      ['"声呼"', [crakes]],
      ['"bird.*^$[a|b](c){1}\\?+ “d” ☂ e"', [crakes]],
      ['"ird.*^$[a"', []],
      ['"little bittern"', [bittern]],
      ['"bird: little"', [bittern]],
      ['"[1, 2]"', [bittern]],
      ['"2, 1"', []],
    ];
    const findHere = async (q: string) => ofTheseLogs(await find(app.client, q));
    const found = () => Promise.all(expected.map(async ([q]): Promise<[string, number[]]> => [q, await findHere(q)]));
    expect(await found()).toEqual(expected);
    await indexed(app);
    expect(await found()).toEqual(expected);
    expect(await containing(app.client, 'otted crake’s ca')).toEqual([crake]);
    expect(await containing(app.client, 'otted crake call')).toEqual([crakes]);
    const long = Array.from({ length: 300 }, (_, index) => `reed${index}`).join(' ');
    const reeds = await logCall(app.client, { input: long });
    await indexed(app);
    expect(await containing(app.client, long.slice(2))).toEqual([reeds]);
  });

  it('finds words in whatever way they are set', async () => {
    const id = await logCall(app.client, {
      input: 'Don’t call the CAFÉ an İzakaya; 東京で会う',
      output: 'ΟΔΟΣ ok_1 🙂',
    });
    const variants = ["don't café", 'DONT', 'izak', '東京', 'οδος', 'ok_1', '"ok_1 🙂"', '🙂', '"don\'t call"'];
    for (const q of variants) expect([q, await find(app.client, q)]).toEqual([q, [id]]);
    await indexed(app);
    for (const q of variants) expect([q, await find(app.client, q)]).toEqual([q, [id]]);
    expect(await find(app.client, '京都')).toEqual([]);
  });

  it('finds parts of words by the words that have them', async () => {
    const stranger = await app.stranger();
    const nightjar = await logCall(app.client, { input: 'The NIGHTJAR’s call, no_night1 today' });
    const long = await logCall(app.client, { input: `${'z'.repeat(150)}nightfall` });
    const other = await logCall(app.client, { input: 'A jar for the night, nonight1' });
    const theirs = await logCall(stranger, { input: 'nightjars' });
    const expected: [string[], number[]][] = [
      [['ightja'], [nightjar]],
      [['ghtjar’s ca'], [nightjar]],
      [['ar f'], [other]],
      [['nightfa'], [long]],
      [['_night'], [nightjar]],
      [['o_nigh'], [nightjar]],
      [['nonight'], [other]],
      [
        ['ight', 'jar'],
        [other, nightjar],
      ],
      [['ight', 'jarx'], []],
      [['nig', 'igh', 'ght', 'htj', 'tja', 'jar', 'cal', 'all', 'tod', 'oda', 'day', 'ight1'], [nightjar]],
      [['ightxyz'], []],
    ];
    const found = () => Promise.all(expected.map(async ([texts]) => [texts, await containing(app.client, ...texts)]));
    expect(await found()).toEqual(expected);
    await indexed(app);
    expect(await found()).toEqual(expected);
    expect(await containing(stranger, 'ghtj')).toEqual([theirs]);
    // The role of a message is a part of the text as well.
    expect((await containing(app.client, 'use')).length).toBeGreaterThanOrEqual(3);
    await app.sql(`DELETE FROM vocabulary WHERE workspace_id = 1 AND word LIKE 'nightjar%'`);
    // On a busy machine a lookup may be given up, and texts are read.
    await until(async () => (await containing(app.client, 'ightja')).length === 0);
  });

  it('also finds what stands at the end of a log with more words than are indexed', async () => {
    const words = Array.from({ length: 30_000 }, (_, index) => `w${index.toString(36)}x`);
    const id = await logCall(app.client, { input: words.join(' '), output: 'the ptarmigan is last' });
    const other = await logCall(app.client, { input: 'the ptarmigan is here as well' });
    await indexed(app);
    expect((await find(app.client, 'ptarmigan')).sort()).toEqual([id, other].sort());
    expect(await find(app.client, 'ptarmigan last')).toEqual([id]);
    expect(await find(app.client, '"ptarmigan is last"')).toEqual([id]);
    expect(await find(app.client, 'ptramigan last')).toEqual([id]);
    expect(await find(app.client, 'ptarmigan missing')).toEqual([]);
    const contains = (value: string) => ({
      filter_group: { filters: [{ field: 'output_text', operator: 'contains', value }] },
    });
    expect(await find(app.client, '', contains('the ptarmigan is'))).toEqual([id]);
  });

  it('describes logs of before', async () => {
    const fields = { output: '{"bird": {"name": "wren"}}', more: { 'promptlayer.metadata.place': '{"town": "Ely"}' } };
    const id = await logCall(app.client, fields);
    await indexed(app);
    const [before] = await app.sql('SELECT * FROM request_logs WHERE id = $1', [id]);
    await app.inTransaction(async (sql) => {
      await sql(
        `UPDATE request_logs SET output_shape = NULL, turn_count = 0, output_keys = '{}', output_data = NULL,
                facets = facets[1:3] WHERE id = $1`,
        [id],
      );
      await sql('INSERT INTO request_log_search_queue VALUES (1, $1) ON CONFLICT DO NOTHING', [id]);
    });
    await indexed(app);
    expect(await app.sql('SELECT * FROM request_logs WHERE id = $1', [id])).toEqual([before]);
    expect(before).toMatchObject({ output_shape: 2, turn_count: 1, output_keys: ['bird', 'bird.name'] });
  });
});

describe('a server whose worker is away', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ works: false, env: WORKLESS });
  });
  afterAll(() => app.stop());

  const projection = () =>
    new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners());

  it('finds a log at once, and no log by words it had before', async () => {
    const fields = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(app.client, { input: 'a bittern booms' }, fields);
    expect(await find(app.client, 'bittern')).toEqual([id]);
    expect(await find(app.client, '"bittern booms"')).toEqual([id]);
    await projection().drain();
    await send(app.client, [llmSpan({ input: 'a dunnock sings' }, fields)]);
    expect(await find(app.client, 'bittern')).toEqual([]);
    expect(await find(app.client, 'dunnock')).toEqual([id]);
  });

  it('finds a part of a word in a log that gets into the index while it searches', async () => {
    const id = await logCall(app.client, { input: 'a whinchat' });
    // Its trace has been read already.
    await app.sql(`DELETE FROM vocabulary WHERE word = 'whinchat'`);
    const { manager } = app.app.get(DataSource);
    const filters = [{ field: 'input_text', operator: 'contains', value: 'hinch' }];
    const understood = await understandLogQuery(manager, 1, { parsed: parseLogQuery({ filters }), which: 'newest' });
    await projection().drain();
    const matches = await openLogs(manager, 1, understood);
    expect(await matches.ids()).toEqual([String(id)]);
  });

  it('leaves a log in the queue that is being written while a worker reads it', async () => {
    const fields = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(app.client, { output: 'siskin' }, fields);
    await projection().drain();
    await send(app.client, [llmSpan({ output: 'redpoll' }, fields)]);
    expect(await queued(app)).toBe(1);
    await app.inTransaction(async (sql) => {
      // A writer that has changed the log and not yet committed.
      await sql(`UPDATE request_logs SET api_type = 'responses' WHERE id = $1`, [id]);
      await projection().drain();
      expect(await queued(app)).toBe(1);
    });
    await projection().drain();
    expect(await queued(app)).toBe(0);
  });

  it('queues a new version that is written while a worker removes the old one from the queue', async () => {
    const fields = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(app.client, { output: 'linnet' }, fields);
    let sent: Promise<unknown> = Promise.resolve();
    await app.inTransaction(async (sql) => {
      await sql('SELECT FROM request_logs WHERE id = $1 FOR SHARE', [id]);
      await sql('DELETE FROM request_log_search_queue WHERE log_id = $1', [id]);
      sent = send(app.client, [llmSpan({ output: 'twite' }, fields)]);
      await until(async () => {
        const waiting = await app.sql(`SELECT FROM pg_locks WHERE NOT granted`);
        return waiting.length > 0;
      });
    });
    await sent;
    expect(await queued(app)).toBe(1);
    await projection().drain();
    expect(await find(app.client, 'twite')).toEqual([id]);
  });

  it('loses nothing when a worker dies in the middle', async () => {
    const ids = [];
    for (let index = 0; index < 5; index++)
      ids.push(await logCall(app.client, { input: `the ${index}th capercaillie` }));
    await app.sql(`ALTER TABLE search_documents ADD CONSTRAINT fault CHECK (key <> '${ids[3]}') NOT VALID`);
    await projection().drain();
    expect(await queued(app)).toBeGreaterThan(0);
    expect((await find(app.client, 'capercaillie')).sort()).toEqual(ids.toSorted());
    await app.sql('ALTER TABLE search_documents DROP CONSTRAINT fault');
    await projection().drain();
    expect(await queued(app)).toBe(0);
    expect((await find(app.client, 'capercaillie')).sort()).toEqual(ids.toSorted());
  });

  it('merges what comes in small batches, and deletes what was merged after a while', async () => {
    const worker = projection();
    await worker.drain();
    const ids: number[] = [];
    for (let index = 0; index < 20; index++) {
      ids.unshift(await logCall(app.client, { input: `the ${index}th goldcrest` }));
      await worker.drain();
    }
    const segments = async (condition: string) => {
      const rows = await app.sql(
        `SELECT FROM search_segments WHERE workspace_id = 1 AND kind = ${LOGS} AND ${condition}`,
      );
      return rows.length;
    };
    expect(await segments('merged_at IS NULL')).toBeLessThan(10);
    expect(await segments('merged_at IS NOT NULL')).toBeGreaterThan(10);
    expect(await find(app.client, 'goldcrest')).toEqual(ids);
    await app.sql(`UPDATE search_segments SET merged_at = now() - interval '1 hour' WHERE merged_at IS NOT NULL`);
    await new MergedSegmentsSweep(app.app.get(DataSource)).sweep();
    expect(await segments('merged_at IS NOT NULL')).toBe(0);
    expect(await find(app.client, 'goldcrest')).toEqual(ids);
  });

  it('says that an answer is partial while so many logs wait that not all are looked at, and finds the newest', async () => {
    const me = await app.stranger();
    const id = await logCall(me, { input: 'the oldest hobby' });
    await copyLog(
      app,
      id,
      Array.from({ length: 5100 }, (_, index) => ({ id: 500_000_000 + index, latency_ms: index })),
    );
    const few = await me.post(SEARCH, { q: 'hobby', per_page: 1 });
    expect(few).toMatchObject({ partial: true, total_is_exact: false, items: [{ id: 500_005_099 }] });
    const oldest = { filter_group: { filters: [{ field: 'pl_id', operator: 'is', value: id }] } };
    expect(await me.post(SEARCH, oldest)).toMatchObject({ partial: true, items: [] });
    expect(await me.post(SEARCH, { ...oldest, limit: 5 })).toMatchObject({ partial: true, next_cursor: null });
    await projection().drain();
    const all = await me.post(SEARCH, { q: 'hobby', per_page: 1 });
    expect(all).toMatchObject({ total: 5101, total_is_exact: true });
    expect(all).not.toHaveProperty('partial');
    expect(await me.post(SEARCH, oldest)).toMatchObject({ items: [{ id }] });
  });

  deepIt('looks at waiting logs up to so many bytes, and indexes what has nothing but different words', async () => {
    const me = await app.stranger();
    const large = () => Array.from({ length: 900_000 }, () => Math.random().toString(36).slice(2, 10)).join(' ');
    const older = await logCall(me, { input: 'the wryneck' });
    for (let index = 0; index < 9; index++) await logCall(me, { input: large(), output: 'a large shrike' });
    expect(await me.post(SEARCH, { q: 'shrike' })).toMatchObject({ partial: true });
    expect(await find(me, 'wryneck')).toEqual([]);
    await projection().drain();
    expect(await find(me, 'wryneck')).toEqual([older]);
    expect(await find(me, 'shrike')).toHaveLength(9);
  });

  it('is emptied by several workers together, and by nobody twice', async () => {
    const spans = Array.from({ length: 2500 }, (_, index) => llmSpan({ input: `ringed plover number${index}` }));
    for (let from = 0; from < spans.length; from += 500) await send(app.client, spans.slice(from, from + 500));
    const others = await Promise.all([1, 2].map(() => createApp({ config: app.config, works: true })));
    await Promise.all(others.map((other) => other.init()));
    try {
      await Promise.all(others.map((other) => sweeperOf(other).sweep('request-search')));
      await sweepUntil(sweeperOf(others[0]!), ['request-search'], async () => (await queued(app)) === 0);
      const first = await app.client.post('/api/public/v2/requests/search', { q: 'plover' });
      expect(first).toMatchObject({ total: 2500, total_is_exact: true });
      expect(await find(app.client, 'number2499')).toHaveLength(1);
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  });
});
