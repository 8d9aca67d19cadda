import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUpHoursOf } from '../../src/rollups/index.js';
import { REQUEST_HOURS } from '../../src/requests/index.js';
import { deleteTraces } from '../../src/traces/expiry/old-traces.queries.js';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import { JSON_TYPE, llmSpan, send, sendFrom, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { TraceWorker } from '../support/trace-worker.js';
import {
  type Asked,
  byStart,
  EPOCH_MS,
  failureOf,
  inputOf,
  isAskedFor,
  isoOf,
  type ModelTrace,
  questions,
  SESSIONS,
  sessionsOf,
  startOf,
  toResourceSpans,
  traces,
} from './sessions.model.js';

const V2 = '/api/public/v2';

interface Session {
  session_id: string;
  trace_count: number;
  last_time: string;
}
interface Turn {
  trace_id: string;
}
interface Page<T> {
  data: T[];
  next_cursor: string | null;
  has_more: boolean;
  partial: boolean;
}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

const queryOf = (asked: object): string =>
  new URLSearchParams(Object.entries(asked).map(([key, value]) => [key, String(value)])).toString();
const pathOf = (session: string): string => `${V2}/sessions/${encodeURIComponent(session)}`;

async function all<T>(client: Client, path: string, asked: object, limit = 100): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<T> = (await client.get(
      `${path}?${queryOf({ ...asked, limit, ...(cursor !== null && { cursor }) })}`,
    )) as Page<T>;
    expect(page.partial).toBe(false);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    found.push(...page.data);
    cursor = page.next_cursor;
    expect(page.has_more).toBe(cursor !== null);
    if (cursor === null) return found;
  }
}

const sessions = (client: Client, asked: Asked = {}, limit?: number) =>
  all<Session>(client, `${V2}/sessions`, asked, limit);
const turns = (client: Client, session: string, limit?: number) =>
  all<Turn>(client, `${pathOf(session)}/turns`, {}, limit);

/** Sends spans, shuffled by their ids, so that parts of a trace come late. */
async function store(client: Client, stored: readonly ModelTrace[]): Promise<void> {
  const pieces = stored.flatMap((trace) => trace.spans.map((span) => ({ id: span.id, spans: [trace, span] as const })));
  const shuffled = pieces.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const half of [shuffled.slice(0, shuffled.length / 2), shuffled.slice(shuffled.length / 2)]) {
    const body = { resourceSpans: half.map(({ spans: [trace, span] }) => toResourceSpans(trace, span)) };
    await client.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify(body));
    await client.get(`${V2}/sessions`);
  }
}

const turn = (session: string, seconds: number, more: Record<string, string> = {}) =>
  llmSpan(
    { more: { 'session.id': session, ...more } },
    {
      startTimeUnixNano: `${1_780_000_000 + seconds}000000000`,
      endTimeUnixNano: `${1_780_000_001 + seconds}000000000`,
    },
  );

/** Adds up the hours of the workspace that was made last. */
async function addUp(): Promise<void> {
  const [{ id }] = (await app.sql('SELECT max(id)::int AS id FROM workspaces')) as [{ id: number }];
  await addUpHoursOf(new TraceWorker(app).db, REQUEST_HOURS, id);
}

describe('random traces of two workspaces with the same sessions', () => {
  let me: Client;
  let other: Client;
  let mine: ModelTrace[];
  let theirs: ModelTrace[];
  beforeAll(async () => {
    [me, other] = [await app.stranger(), await app.stranger()];
    mine = fc.sample(traces, { numRuns: 120, seed: 94 });
    theirs = fc.sample(traces, { numRuns: 30, seed: 95 });
    await store(me, mine);
    await store(other, theirs);
  });

  it('are listed by session, the newest first, whatever is asked', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(questions, fc.constantFrom(1, 3, 100), async (asked, limit) => {
        const expected = sessionsOf(mine.filter((trace) => isAskedFor(asked, trace)));
        expect(await sessions(me, asked, limit)).toMatchObject(expected);
        some += expected.length;
      }),
      { numRuns: tries(160) },
    );
    expect(some).toBeGreaterThan(0);
  });

  it('are listed up to a time', async () => {
    const end_time = new Date(EPOCH_MS + 7 * 3_600_000).toISOString();
    const asked = { end_time };
    expect(await sessions(me, asked)).toMatchObject(sessionsOf(mine.filter((trace) => isAskedFor(asked, trace))));
    expect(await sessions(me, { end_time: '2026-03-01' })).toMatchObject(sessionsOf(mine));
  });

  it('are the totals and turns of their session, and of no other workspace', async () => {
    for (const [client, stored] of [
      [me, mine],
      [other, theirs],
    ] as const) {
      for (const session of SESSIONS) {
        const own = stored.filter((trace) => trace.session === session).sort(byStart);
        const [expected] = sessionsOf(own);
        if (!expected) {
          await client.get(pathOf(session), 404);
          continue;
        }
        const { last_input: _, ...totals } = expected;
        expect(await client.get(pathOf(session))).toMatchObject({ session: totals, partial: false });
        expect(await turns(client, session, 7)).toMatchObject(
          own.map((trace) => ({
            trace_id: trace.id,
            name: 'turn',
            status: failureOf(trace) === null ? 'UNSET' : 'ERROR',
            error_message: failureOf(trace),
            start_time: isoOf(startOf(trace)),
            first_input: inputOf(trace),
            user_id: trace.user,
            span_count: trace.spans.length,
          })),
        );
      }
    }
  });

  it('are gone when they are deleted', async () => {
    const worker = new TraceWorker(app);
    const [third, stored] = [await app.stranger(), fc.sample(traces, { numRuns: 30, seed: 96 })];
    await store(third, stored);
    const [{ workspace_id: id }] = (await app.sql('SELECT workspace_id FROM traces WHERE trace_id = $1', [
      stored[0]!.id,
    ])) as [{ workspace_id: number }];
    const [gone, left] = [stored.slice(0, 15), stored.slice(15)];
    await worker.db.transaction((tx) =>
      deleteTraces(
        tx,
        id,
        gone.map((trace) => trace.id),
      ),
    );
    expect(await sessions(third)).toMatchObject(sessionsOf(left));
    expect(await sessions(me)).toMatchObject(sessionsOf(mine));
  });
});

describe('the session of a trace', () => {
  const sessionOf = async (client: Client, id: string) =>
    ((await client.get(`${V2}/traces/${id}`)) as { trace: { session_id: string | null } }).trace.session_id;

  it.each([
    ['session.id', { 'session.id': 'a' }, 'a'],
    ['gen_ai.conversation.id before it', { 'session.id': 'a', 'gen_ai.conversation.id': 'b' }, 'b'],
    ['session_id in its metadata', { 'promptlayer.metadata.session_id': 'c' }, 'c'],
    ['a convention before its metadata', { 'promptlayer.metadata.session_id': 'c', 'langfuse.session.id': 'd' }, 'd'],
    ['blanks', { 'session.id': '  ' }, null],
    ['a long id', { 'session.id': 'x'.repeat(1500) }, 'x'.repeat(1000)],
    ['characters that cannot be stored', { 'session.id': 'a\u0000b' }, 'a\uFFFDb'],
  ])('is read from its spans: %s', async (_, more, expected) => {
    const me = await app.stranger();
    const sent = llmSpan({ more });
    await send(me, [sent]);
    const waiting = await sessionOf(me, sent.traceId as string);
    const listed = await sessions(me);
    expect([waiting, await sessionOf(me, sent.traceId as string)]).toEqual([expected, expected]);
    expect(listed.map(({ session_id }) => session_id)).toEqual(expected === null ? [] : [expected]);
  });

  it('is read from the resource, and comes with a late span', async () => {
    const me = await app.stranger();
    const id = traceId();
    await send(me, [llmSpan({}, { traceId: id })]);
    expect(await sessions(me)).toEqual([]);
    await sendFrom(me, { 'session.id': 'late' }, [llmSpan({}, { traceId: id })]);
    expect(await sessions(me)).toMatchObject([{ session_id: 'late', trace_count: 1 }]);
    // An earlier span decides.
    await send(
      me,
      [turn('earlier', -100_000_000)].map((span) => ({ ...span, traceId: id })),
    );
    expect(await sessions(me)).toMatchObject([{ session_id: 'earlier', trace_count: 1 }]);
    await me.get(pathOf('late'), 404);
  });
});

describe('a list that is read while sessions grow', () => {
  it('shows every session that rests exactly once', async () => {
    const me = await app.stranger();
    const names = Array.from({ length: 12 }, (_, at) => `s-${at}`);
    await send(
      me,
      names.map((name, at) => turn(name, at)),
    );
    const seen: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Page<Session> = (await me.get(
        `${V2}/sessions?${queryOf({ limit: 3, ...(cursor !== null && { cursor }) })}`,
      )) as Page<Session>;
      seen.push(...page.data.map(({ session_id }) => session_id));
      cursor = page.next_cursor;
      if (cursor === null) break;
      await send(me, [turn('s-0', 1000 + seen.length), turn('s-11', 1000 + seen.length), turn(randomUUID(), 2000)]);
    }
    // The session "s-0" was newest by the time the list came to it.
    expect(seen).toEqual(names.slice(1).reverse());
  });

  it('adds up turns that are written at the same time', async () => {
    const me = await app.stranger();
    await Promise.all(Array.from({ length: 20 }, (_, at) => send(me, [turn('busy', at)])));
    expect(await sessions(me)).toMatchObject([{ session_id: 'busy', trace_count: 20 }]);
    expect(await turns(me, 'busy', 6)).toHaveLength(20);
  });
});

describe('requests that make no sense', () => {
  it.each([
    ['sessions?limit=0', 422],
    ['sessions?limit=101', 422],
    ['sessions?limit=x', 422],
    ['sessions?limit=99999999999999999999', 422],
    ['sessions?origin=nobody', 422],
    ['sessions?start_time=yesterday', 422],
    ['sessions?start_time=2026-03-02&end_time=2026-03-01', 422],
    ['sessions?user_id=', 422],
    [`sessions?user_id=${'x'.repeat(2001)}`, 422],
    ['sessions?unknown=1', 422],
    ['sessions?cursor=nonsense', 400],
    ['sessions?user_id=%00', 200],
    ['sessions?environment=%00', 200],
    ['sessions?start_time=9999-12-31T00:00:00Z', 200],
    ['sessions?end_time=0001-01-01T00:00:00Z', 200],
    ['sessions/%20', 422],
    ['sessions/nobody', 404],
    ['sessions/%00', 404],
    [`sessions/${'x'.repeat(1001)}`, 422],
    [`sessions/${encodeURIComponent('/'.repeat(1000))}`, 404],
    [`sessions/${encodeURIComponent('木'.repeat(1000))}/turns`, 404],
    ['sessions/nobody/turns?limit=1001', 422],
    ['sessions/nobody/turns?cursor=x', 400],
    ['users?limit=0', 422],
    ['users?days=0', 422],
    ['users?days=3651', 422],
    ['users?origin=x', 422],
    ['users?unknown=1', 422],
    ['users/nobody', 404],
    ['users/%00', 404],
    [`users/${'x'.repeat(2001)}`, 422],
    [`users/${encodeURIComponent('/'.repeat(2000))}`, 404],
  ])('GET %s is answered with %i', async (path, status) => {
    await app.client.get(`${V2}/${path}`, status);
  });

  it('are cursors of other lists', async () => {
    const me = await app.stranger();
    await send(me, [turn('a', 1), turn('a', 2), turn('b', 3), turn('b', 4)]);
    const { next_cursor } = (await me.get(`${V2}/sessions?limit=1`)) as Page<Session>;
    const { next_cursor: ofTurns } = (await me.get(`${pathOf('a')}/turns?limit=1`)) as Page<Turn>;
    await me.get(`${V2}/sessions?cursor=${next_cursor}&user_id=ada`, 400);
    await me.get(`${pathOf('b')}/turns?cursor=${ofTurns}`, 400);
    await me.get(`${pathOf('a')}/turns?cursor=${next_cursor}`, 400);
    await (await app.stranger()).get(`${V2}/sessions?cursor=${next_cursor}`, 400);
    const forged = JSON.parse(Buffer.from(next_cursor!, 'base64url').toString()) as unknown[];
    for (const place of [
      ['9'.repeat(19), 'x'],
      ['nonsense', 'x'],
      ['1', 2],
      [null, 'x'],
    ]) {
      const cursor = Buffer.from(JSON.stringify([...forged.slice(0, 3), place])).toString('base64url');
      await me.get(`${V2}/sessions?cursor=${cursor}`, 400);
    }
  });
});

describe('users', () => {
  interface Users {
    data: { user_id: string; request_count: number }[];
    since: string | null;
  }
  const LONG = `${'木/'.repeat(300)}!`;

  it('are listed by their calls, with what these add up to', async () => {
    const me = await app.stranger();
    const calls: [string, number][] = [
      ['ada', 3],
      [LONG, 2],
      ['bob/1 ?', 1],
    ];
    const sent = calls.flatMap(([user, times]) =>
      Array.from({ length: times }, (_, at) => turn(`${user.slice(0, 5)}-${at % 2}`, at * 4000, { 'user.id': user })),
    );
    await send(me, sent);
    await sendFrom(me, { 'tracesheet.origin': 'sheet' }, [turn('x', 5, { 'user.id': 'bob/1 ?' })]);
    const listed = (await me.get(`${V2}/users`)) as Users;
    expect(listed.data.map(({ user_id, request_count }) => [user_id, request_count])).toEqual([
      ['ada', 3],
      ['bob/1 ?', 2],
      [LONG, 2],
    ]);
    const ofApplications = (await me.get(`${V2}/users?origin=application&limit=2`)) as Users;
    expect(ofApplications.data.map(({ user_id, request_count }) => [user_id, request_count])).toEqual([
      ['ada', 3],
      [LONG, 2],
    ]);
    for (const [user, session_count, request_count] of [
      ['ada', 2, 3],
      [LONG, 2, 2],
      ['bob/1 ?', 2, 2],
    ] as const) {
      expect(await me.get(`${V2}/users/${encodeURIComponent(user)}`)).toMatchObject({
        user: { user_id: user, request_count, session_count, input_tokens: 3 * request_count },
      });
      await app.client.get(`${V2}/users/${encodeURIComponent(user)}`, 404);
    }
  });

  it('are counted since a time, also where hours are added up', async () => {
    const me = await app.stranger();
    const now = Math.floor(Date.now() / 1000) - 1_780_000_000;
    const ago = (hours: number) => turn('s', now - hours * 3600, { 'user.id': 'ada' });
    await send(me, [ago(0), ago(5), ago(30), ago(24 * 40)]);
    const countOf = async (query: string) => ((await me.get(`${V2}/users${query}`)) as Users).data[0]?.request_count;
    const counts = async () => [await countOf(''), await countOf('?days=1'), await countOf('?days=7')];
    expect(await counts()).toEqual([4, 2, 3]);
    await addUp();
    expect(await counts()).toEqual([4, 2, 3]);
    await send(me, [ago(5)]);
    expect(await counts()).toEqual([5, 3, 4]);
    expect(((await me.get(`${V2}/users?days=1`)) as Users).since).toMatch(/:00:00\.000Z$/);
  });

  it('are known by a trace alone, as a span above its calls names them', async () => {
    const me = await app.stranger();
    const root = turn('s', 1, { 'user.id': 'root-user' });
    const attributes = (root.attributes as { key: string }[]).filter(({ key }) => !key.startsWith('gen_ai'));
    await send(me, [{ ...root, attributes }]);
    expect(await me.get(`${V2}/users/root-user`)).toMatchObject({ user: { request_count: 0, session_count: 1 } });
    expect(await sessions(me, { user_id: 'root-user' })).toHaveLength(1);
  });
});
