import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, loggedCall, sendBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { inOneBatch } from '../support/one-batch.js';
import { FULL_SUCCESS, llmSpan, readSpans, send, span, text } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

/** No index takes an entry of that size, and it cannot be compressed. */
const TOO_LARGE = randomBytes(4000).toString('base64');
/** Span that may get a reported log. It is not written as a span that is expected to be new. */
const linkable = (fields: object = {}) => span({ attributes: [text('node_type', 'CODE_EXECUTION')], ...fields });

describe('a batch of several requests', () => {
  // The resource of their spans is known: those without a mark are expected to be new, and are written first.
  beforeAll(async () => {
    await send(me, [span()]);
  });

  it.each([
    ['is expected to be new', span],
    ['depends on what is stored', linkable],
  ])('loses only the span that is too large for an index, when that %s', async (_, made) => {
    await app.sql('CREATE INDEX test_idx ON spans (status_message)');
    try {
      const [theirs, beside] = [span(), linkable()];
      const [mine, offender] = [span(), made({ status: { code: 2, message: TOO_LARGE } })];
      const answers = await inOneBatch(app, [
        () => send(me, [theirs]),
        () => send(me, [mine, offender]),
        () => send(me, [beside]),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers[0]!.body).toEqual(FULL_SUCCESS);
      expect(answers[1]!.body).toMatchObject({ partialSuccess: { rejectedSpans: 1 } });
      expect(answers[2]!.body).toEqual(FULL_SUCCESS);
      for (const { traceId } of [theirs, mine, beside]) expect(await readSpans(me, traceId)).toHaveLength(1);
      await me.get(`/api/public/v2/traces/${String(offender.traceId)}`, 404);
    } finally {
      await app.sql('DROP INDEX test_idx');
    }
  });

  it('is answered by what became of each request, also when the database fails in the middle', async () => {
    // No span of this workspace depends on stored ones.
    const third = await app.stranger();
    await send(third, [span()]);
    await app.sql(`
      CREATE FUNCTION test_failure() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'going down' USING ERRCODE = 'admin_shutdown';
      END $$;
      CREATE TRIGGER test_failure BEFORE INSERT ON linkable_spans EXECUTE FUNCTION test_failure()`);
    try {
      const [theirs, mine] = [span(), linkable()];
      const answers = await inOneBatch(app, [() => send(third, [theirs]), () => send(third, [mine])]);
      expect(answers.map(({ status }) => status)).toEqual([200, 503]);
      expect(await readSpans(third, theirs.traceId)).toHaveLength(1);
      await third.get(`/api/public/v2/traces/${String(mine.traceId)}`, 404);
    } finally {
      await app.sql('DROP FUNCTION test_failure CASCADE');
    }
  });
});

describe('requests of several workspaces at the same time', () => {
  it('are stored each in its own workspace, also where their spans have the same ids', async () => {
    const clients = [me, await app.stranger(), await app.stranger()];
    const sent = [span(), llmSpan({ model: 'gpt-4o' }), linkable()];
    const requests = sent.flatMap((each) => clients.map((client, at) => send(client, [{ ...each, name: `of ${at}` }])));
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const [at, client] of clients.entries())
      for (const { traceId } of sent) expect(await readSpans(client, traceId)).toMatchObject([{ name: `of ${at}` }]);
  });
});

describe('requests of one batch that bring the same span', () => {
  it('leave the log that was given for it, like one after the other would', async () => {
    const given = bulkSpan({ log_request: loggedCall({ model: 'gpt-4.1' }) });
    const { trace_id: trace, span_id: id } = given.context as { trace_id: string; span_id: string };
    const exported = llmSpan({ model: 'gpt-4o' }, { traceId: trace, spanId: id, name: 'exported' });
    const [bulk, otlp] = await inOneBatch(app, [() => sendBulk(me, [given]), () => send(me, [exported])]);
    expect([bulk!.status, otlp!.status]).toEqual([201, 200]);
    const [stored] = await readSpans(me, trace);
    expect(bulk!.body).toMatchObject({ request_logs: [{ id: stored!.request_log_id, span_id: id }] });
    expect(stored).toMatchObject({ name: 'exported', input_tokens: 1_000_000 });
    expect(await me.get(`/api/public/v2/requests/${stored!.request_log_id}`)).toMatchObject({ model: 'gpt-4.1' });
  });

  it('keep the log of the call when it comes back with less', async () => {
    const call = llmSpan();
    await inOneBatch(app, [() => send(me, [call]), () => send(me, [{ ...call, attributes: [], name: 'poorer' }])]);
    expect(await readSpans(me, call.traceId)).toMatchObject([
      { name: 'poorer', request_log_id: expect.any(Number) as number, input_tokens: 3 },
    ]);
  });

  it('close its trace when one of them is to', async () => {
    const sent = span();
    const [first, second] = await inOneBatch(app, [
      () => send(me, [sent], '?close_after=true'),
      () => send(me, [{ ...sent, name: 'again' }]),
    ]);
    expect([first!.status, second!.status]).toEqual([200, 409]);
    expect(await send(me, [span({ traceId: sent.traceId })])).toMatchObject({ status: 409 });
    expect(await readSpans(me, sent.traceId)).toMatchObject([{ name: 'step' }]);
  });
});

describe('a span that names a log by an endless id', () => {
  it('is stored without one, as no log can have it', async () => {
    const managed = [
      text('promptlayer.request_log.managed', 'true'),
      text('promptlayer.request_log.span_id', TOO_LARGE),
    ];
    const sent = span({ attributes: managed });
    expect(await send(me, [sent])).toMatchObject({ status: 200, body: FULL_SUCCESS });
    expect(await readSpans(me, sent.traceId)).toMatchObject([{ request_log_id: null }]);
  });
});
