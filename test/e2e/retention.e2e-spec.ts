import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { LOGS } from '../../src/requests/search/log-document.js';
import { createApp } from '../../src/app.js';
import { llmSpan, logCall, readSpans, send, span, text, traceId } from '../support/otlp.js';
import { untilAddedUp, untilSearchable, sweeperOf, sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';

const DAY_MS = 86_400_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

interface DryRun {
  limits: object;
  traces: { count: number; spans: number; oldest: string | null; newest: string | null };
  request_logs: { count: number; oldest: string | null; newest: string | null };
}

/** A customer with the path of its retention. */
async function customer(): Promise<{ me: Client; id: number; path: string }> {
  const me = await app.stranger();
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  const id = workspaces.at(-1)!.id;
  return { me, id, path: `/api/admin/v1/workspaces/${id}/retention` };
}

const nanos = (ms: number) => `${Math.round(ms)}000000`;

/** Times of a span that began so many days ago and took a second, or that long. */
function ago(days: number, lengthDays = 1 / 86_400) {
  const start = Date.now() - days * DAY_MS;
  return { startTimeUnixNano: nanos(start), endTimeUnixNano: nanos(start + lengthDays * DAY_MS) };
}

const limits = (traces_days: number | null, request_logs_days: number | null) => ({ traces_days, request_logs_days });

/** Number of rows of a workspace in a table. */
async function count(table: string, workspace: number): Promise<number> {
  const rows = await app.sql(`SELECT count(*)::int AS n FROM ${table} WHERE workspace_id = $1`, [workspace]);
  return (rows as { n: number }[])[0]!.n;
}

/** Logs that are in the index. */
async function indexedLogs(workspaceId: number): Promise<number> {
  const sql = 'SELECT count(*)::int AS n FROM search_documents WHERE workspace_id = $1 AND kind = $2';
  const [row] = (await app.sql(sql, [workspaceId, LOGS])) as [{ n: number }];
  return row.n;
}

/** Sweeps until so many rows of a workspace are left in a table. */
async function untilCount(table: string, workspace: number, expected: number): Promise<void> {
  await sweepUntil(app, ['retention'], async () => (await count(table, workspace)) === expected);
}

/** Lets the words of a workspace be looked at once more today, and sweeps until one is gone. */
async function untilForgotten(word: string, workspace: number): Promise<void> {
  await app.sql('UPDATE retention_policies SET words_checked_at = NULL WHERE workspace_id = $1', [workspace]);
  await sweepUntil(app, ['retention'], async () => !(await wordsOf(workspace)).includes(word));
}

async function wordsChecked(workspace: number): Promise<Date | null> {
  const sql = 'SELECT words_checked_at AS at FROM retention_policies WHERE workspace_id = $1';
  return ((await app.sql(sql, [workspace])) as { at: Date | null }[])[0]!.at;
}

async function wordsOf(workspace: number): Promise<string[]> {
  const rows = (await app.sql('SELECT word FROM vocabulary WHERE workspace_id = $1', [workspace])) as {
    word: string;
  }[];
  return rows.map(({ word }) => word);
}

/** A resource that was last seen so many days ago. */
const INSERT_SOURCE = `INSERT INTO span_sources (workspace_id, hash, resource, scope, last_seen_at)
  VALUES ($1, $2, '{}', '{}', now() - $3 * interval '1 day')`;

async function sourcesOf(workspace: number): Promise<Buffer[]> {
  const rows = await app.sql('SELECT hash FROM span_sources WHERE workspace_id = $1 ORDER BY hash', [workspace]);
  return (rows as { hash: Buffer }[]).map(({ hash }) => hash);
}

describe('the sums of hours', () => {
  it('go with the logs and traces that they are of', async () => {
    const { me, id, path } = await customer();
    await logCall(me, {}, ago(40));
    await logCall(me, {}, ago(3));
    await untilSearchable(app, id);
    await untilAddedUp(app, id);
    const hours = async () => [await count('request_hours', id), await count('trace_hours', id)];
    const facets = await hours();
    expect(Math.min(...facets)).toBeGreaterThan(2);
    await me.put(path, limits(30, 30));
    for (const table of ['request_logs', 'traces']) await untilCount(table, id, 1);
    await untilAddedUp(app, id);
    expect(await hours()).toEqual(facets.map((rows) => rows / 2));
    const { buckets } = (await me.post('/api/public/v2/requests/histogram', {})) as { buckets: { count: number }[] };
    expect(buckets.map((bucket) => bucket.count)).toEqual([1]);
    const metrics = await app.clientWith(null).request('GET', '/metrics');
    expect(String(metrics.body)).toMatch(/tracesheet_rows_expired_total\{kind="spans"\} [1-9]/);
  });
});

describe('the limits of a workspace', () => {
  it('are for ever until somebody sets them, and then as set', async () => {
    const { me, path } = await customer();
    expect(await me.get(path)).toEqual({
      success: true,
      retention: { traces_days: null, request_logs_days: null, updated_at: null },
    });
    expect(await me.put(path, limits(30, null))).toMatchObject({ retention: limits(30, null) });
    expect(await me.put(path, limits(null, 7))).toMatchObject({ retention: limits(null, 7) });
    expect(await app.operator().get(path)).toMatchObject({
      retention: { ...limits(null, 7), updated_at: expect.any(String) },
    });
  });

  it('leave a trail when they change', async () => {
    const { me, id, path } = await customer();
    await me.put(path, limits(30, null));
    await me.put(path, limits(30, 5));
    const entries = await app.sql(
      `SELECT details FROM audit_entries WHERE workspace_id = $1 AND action = 'retention.update' ORDER BY id`,
      [id],
    );
    expect(entries).toMatchObject([
      { details: { from: { tracesDays: null }, to: { tracesDays: 30, requestLogsDays: null } } },
      { details: { from: { tracesDays: 30, requestLogsDays: null }, to: { requestLogsDays: 5 } } },
    ]);
  });

  it('are refused when they are no number of days, and to keys without ADMIN', async () => {
    const { me, path } = await customer();
    const bad = [limits(0, null), limits(-1, null), limits(1.5, null), limits(1e9, null), { traces_days: 1 }, {}];
    for (const body of bad) await me.put(path, body, 422);
    const issued = await me.post(path.replace(/retention$/, 'api-keys'), { role: 'member' }, 201);
    const member = app.clientWith((issued as { secret: string }).secret);
    await member.get(path, 403);
    await member.put(path, limits(1, 1), 403);
    await member.post(`${path}/dry-run`, {}, 403);
  });

  it('count for their own workspace only', async () => {
    const [first, second] = [await customer(), await customer()];
    for (const { me } of [first, second]) await logCall(me, {}, ago(50));
    await first.me.put(first.path, limits(10, 10));
    await untilCount('traces', first.id, 0);
    await untilCount('request_logs', first.id, 0);
    expect([await count('traces', second.id), await count('request_logs', second.id)]).toEqual([1, 1]);
    await second.me.get(first.path, 404);
  });
});

describe('a workspace in which nothing can be deleted', () => {
  it('does not keep others from being cleaned', async () => {
    const customers = [await customer(), await customer(), await customer()];
    const [stuck, ...others] = customers.map(({ id }) => id);
    await app.sql(`
      CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not here'; END $$`);
    const tables = ['traces', 'request_logs', 'span_sources', 'vocabulary'];
    for (const table of tables) {
      await app.sql(`CREATE TRIGGER refuse BEFORE DELETE ON ${table} FOR EACH ROW WHEN (OLD.workspace_id = ${stuck})
        EXECUTE FUNCTION refuse_deletion()`);
    }
    for (const { me, id, path } of customers) {
      await logCall(me, {}, ago(50));
      await app.sql(INSERT_SOURCE, [id, Buffer.alloc(16, 1), 50]);
      await app.sql(`INSERT INTO vocabulary VALUES ($1, 'avocets', (now() AT TIME ZONE 'UTC')::date - 50)`, [id]);
      await me.put(path, limits(10, 10));
    }
    for (const id of others) {
      for (const table of ['traces', 'request_logs']) await untilCount(table, id, 0);
      const unused = async () => (await sourcesOf(id)).some((hash) => hash.equals(Buffer.alloc(16, 1)));
      await sweepUntil(app, ['retention'], async () => !(await unused()));
      await untilForgotten('avocets', id);
    }
    expect(await Promise.all(['traces', 'request_logs'].map((table) => count(table, stuck!)))).toEqual([1, 1]);
    for (const table of tables) await app.sql(`DROP TRIGGER refuse ON ${table}`);
    await app.sql('DROP FUNCTION refuse_deletion');
    await untilCount('traces', stuck!, 0);
  });
});

describe('a dry run', () => {
  it('counts exactly what is deleted afterwards, and deletes nothing itself', async () => {
    const { me, id, path } = await customer();
    const old = [llmSpan({}, ago(40)), llmSpan({}, ago(20)), span(ago(12))];
    await send(me, [
      ...old,
      span({ traceId: old[0]!.traceId, ...ago(40) }),
      llmSpan({}, ago(2)),
      llmSpan({}, ago(0.01)),
    ]);
    const tried = (await me.post(`${path}/dry-run`, limits(10, 30))) as DryRun;
    expect(tried).toMatchObject({
      limits: limits(10, 30),
      traces: { count: 3, spans: 4 },
      request_logs: { count: 1 },
    });
    expect(Date.parse(tried.traces.oldest!)).toBeCloseTo(Date.now() - 40 * DAY_MS, -5);
    expect(Date.parse(tried.traces.newest!)).toBeCloseTo(Date.now() - 12 * DAY_MS, -5);
    expect([await count('traces', id), await count('spans', id), await count('request_logs', id)]).toEqual([5, 6, 4]);

    await me.put(path, limits(10, 30));
    await untilCount('traces', id, 2);
    await untilCount('request_logs', id, 3);
    expect(await count('spans', id)).toBe(2);
    expect(await me.post(`${path}/dry-run`, {})).toMatchObject({
      limits: limits(10, 30),
      traces: { count: 0, spans: 0, oldest: null, newest: null },
      request_logs: { count: 0, oldest: null, newest: null },
    });
  });

  it('reaches as far back as days can be given', async () => {
    const { me, path } = await customer();
    await send(me, [span({ ...ago(5000) })]);
    const most = 36_500;
    expect(await me.post(`${path}/dry-run`, limits(most, most))).toMatchObject({
      limits: limits(most, most),
      traces: { count: 0 },
      request_logs: { count: 0 },
    });
  });

  it('takes what is not given from the limits in force, and null for for ever', async () => {
    const { me, path } = await customer();
    await logCall(me, {}, ago(5));
    await me.put(path, limits(null, 20));
    expect(await me.post(`${path}/dry-run`, { traces_days: 1 })).toMatchObject({
      limits: limits(1, 20),
      traces: { count: 1 },
      request_logs: { count: 0 },
    });
    expect(await me.post(`${path}/dry-run`, limits(null, 1))).toMatchObject({
      traces: { count: 0 },
      request_logs: { count: 1 },
    });
  });
});

describe('traces that are too old', () => {
  it('go with everything that was made of them, and their logs stay', async () => {
    const { me, id, path } = await customer();
    const sent = llmSpan({}, ago(50));
    await send(me, [sent, span({ ...ago(50), attributes: [text('node_type', 'WORKFLOW')] })]);
    await untilSearchable(app, id);
    expect(await count('trace_search', id)).toBe(2);
    const made = ['linkable_spans', 'log_claims', 'span_search', 'search_documents'];
    for (const table of made) expect([table, await count(table, id)]).toEqual([table, expect.toSatisfy((n) => n > 0)]);

    await me.put(path, limits(10, null));
    await untilCount('traces', id, 0);
    await untilSearchable(app, id);
    expect([await count('search_documents', id), await indexedLogs(id)]).toEqual([1, 1]);
    for (const table of ['spans', 'trace_search', ...made.slice(0, -1)]) {
      expect([table, await count(table, id)]).toEqual([table, 0]);
    }
    await me.get(`/api/public/v2/traces/${String(sent.traceId)}`, 404);
    const [kept] = await app.sql('SELECT id, trace_id FROM request_logs WHERE workspace_id = $1', [id]);
    const { id: logId, trace_id: trace } = kept as { id: string; trace_id: string };
    expect(trace).toBe(sent.traceId);
    expect(await me.get(`/api/public/v2/requests/${logId}`)).toMatchObject({ trace_id: sent.traceId });
  });

  it('are as old as the last thing in them, and a running one as its beginning', async () => {
    const { me, id, path } = await customer();
    const long = span(ago(50, 45));
    const begun = span(ago(50));
    await send(me, [
      long,
      begun,
      span({ traceId: begun.traceId, ...ago(1) }),
      span({ ...ago(50), endTimeUnixNano: '0' }),
      span({ ...ago(3), endTimeUnixNano: '0' }),
    ]);
    await me.put(path, limits(10, null));
    await untilCount('traces', id, 3);
    expect(await readSpans(me, begun.traceId)).toHaveLength(2);
    expect(await readSpans(me, long.traceId)).toHaveLength(1);
  });

  it('are also those that come late, with old times', async () => {
    const { me, id, path } = await customer();
    await me.put(path, limits(10, 10));
    await logCall(me, {}, ago(1));
    await send(me, [llmSpan({}, ago(100))]);
    await untilCount('traces', id, 1);
    await untilCount('request_logs', id, 1);
  });

  it('start again when one of their spans is resent, even if they were closed', async () => {
    const { me, id, path } = await customer();
    const sent = span(ago(50));
    await send(me, [sent]);
    await me.post(`/api/public/v2/traces/${String(sent.traceId)}/close`, undefined, 201);
    await me.put(path, limits(10, null));
    await untilCount('traces', id, 0);
    await me.put(path, limits(null, null));
    await send(me, [sent]);
    expect(await readSpans(me, sent.traceId)).toHaveLength(1);
  });

  it('are deleted once by several workers, beside new ones that keep coming', async () => {
    const { me, id, path } = await customer();
    const others = await Promise.all([1, 2].map(() => createApp({ config: app.config, works: true })));
    await Promise.all(others.map((other) => other.init()));
    const workers = [app, ...others.map(sweeperOf)];
    try {
      for (let round = 0; round < 2; round++) {
        await send(
          me,
          Array.from({ length: 500 }, () => llmSpan({}, ago(50))),
        );
      }
      await me.put(path, limits(10, 10));
      const kept: string[] = [];
      while (kept.length < 10) {
        kept.push(traceId());
        await Promise.all([
          ...workers.map((worker) => worker.sweep('retention')),
          send(me, [llmSpan({}, { traceId: kept.at(-1), ...ago(0.1) }), llmSpan({}, ago(50))]),
        ]);
      }
      await untilCount('traces', id, kept.length);
      await untilCount('request_logs', id, kept.length);
      for (const trace of kept) expect(await readSpans(me, trace)).toHaveLength(1);
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  });
});

describe('request logs that are too old', () => {
  it('go with their scores, words and claims; spans of kept traces stay readable', async () => {
    const { me, id, path } = await customer();
    const log = await logCall(me, {}, ago(50));
    await app.sql(`INSERT INTO request_scores (workspace_id, log_id, name, score) VALUES ($1, $2, 'default', 5)`, [
      id,
      log,
    ]);
    await untilSearchable(app, id);
    expect(await indexedLogs(id)).toBe(1);
    const [{ trace_id: trace }] = (await app.sql('SELECT trace_id FROM spans WHERE workspace_id = $1', [id])) as [
      { trace_id: string },
    ];
    await me.put(path, limits(null, 10));
    await untilCount('request_logs', id, 0);
    expect(await count('request_scores', id)).toBe(0);
    await untilSearchable(app, id);
    expect(await indexedLogs(id)).toBe(0);
    expect(await readSpans(me, trace)).toMatchObject([{ request_log_id: log, cost: expect.any(Number) }]);
    await me.get(`/api/public/v2/requests/${log}`, 404);
  });
});

describe('what no workspace limits', () => {
  it('is dropped when it is of no use any more: receipts after some days, sources that no span has', async () => {
    const { me, id, path } = await customer();
    await send(me, [span(ago(50))]);
    await send(me, [span(ago(0.1))]);
    const receipts = await count('ingest_receipts', id);
    expect(receipts).toBe(2);
    await app.sql(
      `UPDATE ingest_receipts SET received_at = now() - interval '8 days'
        WHERE (workspace_id, id) = (SELECT workspace_id, id FROM ingest_receipts WHERE workspace_id = $1 LIMIT 1)`,
      [id],
    );
    await app.sql(
      `INSERT INTO ingest_refusals SELECT $1, now() - days * interval '1 day', 'span', 'trace_closed', 1, now()
         FROM unnest('{6,8}'::int[]) days`,
      [id],
    );
    await untilCount('ingest_receipts', id, 1);
    await untilCount('ingest_refusals', id, 1);

    await app.sql(INSERT_SOURCE, [id, Buffer.alloc(16, 1), 63]);
    // Sent long ago by a process that is silent now, and still in use.
    await app.sql(`UPDATE span_sources SET last_seen_at = now() - interval '63 days' WHERE workspace_id = $1`, [id]);
    await app.sql(`UPDATE traces SET created_at = now() - interval '64 days' WHERE workspace_id = $1`, [id]);
    await me.put(path, limits(60, null));
    await untilCount('span_sources', id, 1);
    expect(await count('traces', id)).toBe(2);
    const { spans } = (await me.get(
      `/api/public/v2/traces/${((await app.sql('SELECT trace_id FROM spans WHERE workspace_id = $1', [id])) as { trace_id: string }[])[0]!.trace_id}`,
    )) as { spans: unknown[] };
    expect(spans).toHaveLength(1);
  });

  it('is looked for in every span, however many there are, and kept while its spans may be', async () => {
    const { me, id, path } = await customer();
    const [common, last, young, unused] = [1, 2, 3, 4].map((byte) => Buffer.alloc(16, byte));
    for (const hash of [common, last, unused]) await app.sql(INSERT_SOURCE, [id, hash, 33]);
    await app.sql(INSERT_SOURCE, [id, young, 31]);
    await app.sql(
      `INSERT INTO traces (workspace_id, trace_id, start_ns, span_count, created_at)
       SELECT $1, lpad(n::text, 32, '0'), ${nanos(Date.now())}, 1, now() - interval '40 days' FROM generate_series(1, 2500) n`,
      [id],
    );
    await app.sql(
      `INSERT INTO spans (workspace_id, trace_id, span_id, id, start_ns, kind, status, sanitized, source_hash, name,
                          span_type, trace_state, attributes)
       SELECT $1, lpad('2499', 32, '0'), lpad(n::text, 16, '0'), -n, ${nanos(Date.now())}, 0, 0, FALSE,
              CASE n WHEN 10001 THEN $3::bytea ELSE $2::bytea END, 'step', 'UNKNOWN', '', '{}'
         FROM generate_series(1, 10001) n`,
      [id, common, last],
    );
    await me.put(path, limits(30, null));
    // Each sweep walks along them for a second at most, and there may be little of a second on a busy machine.
    await sweepUntil(app, ['retention'], async () => (await count('span_sources', id)) === 3);
    expect(await sourcesOf(id)).toEqual([common, last, young]);
  });

  it('is forgotten in the vocabulary a day after both limits, and not while anything older is left', async () => {
    const { me, id, path } = await customer();
    const kept = await logCall(me, { input: 'avocets' });
    await untilSearchable(app, id);
    expect(await count('vocabulary', id)).toBeGreaterThan(0);
    const age = (word: string, days: number) =>
      app.sql(
        `INSERT INTO vocabulary VALUES ($1, $2, (now() AT TIME ZONE 'UTC')::date - $3::int)
         ON CONFLICT (workspace_id, word) DO UPDATE SET last_day = excluded.last_day`,
        [id, word, days],
      );
    await age('bitterns', 22);
    await age('curlews', 21);
    // Logs that old are kept for as long as somebody else holds them.
    await app.inTransaction(async (sql) => {
      const old = `now() - interval '40 days'`;
      await app.sql(`UPDATE request_logs SET request_start_time = ${old} WHERE id = $1`, [kept]);
      await sql('SELECT FROM request_logs WHERE id = $1 FOR UPDATE', [kept]);
      await me.put(path, limits(20, 7));
      await sweepUntil(app, ['retention'], async () => (await wordsChecked(id)) !== null);
      expect(await wordsOf(id)).toContain('bitterns');
    });
    // The trace of the call is old as well.
    for (const table of ['traces', 'request_logs']) await untilCount(table, id, 0);
    await untilForgotten('bitterns', id);
    expect(await wordsOf(id)).toEqual(expect.arrayContaining(['avocets', 'curlews']));
  });
});
