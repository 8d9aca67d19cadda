import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transactionOf } from '../../src/platform/database/joined-transaction.js';
import { recomputeRollups } from '../../src/traces/ingestion/rollups.queries.js';
import { bulkSpan, loggedCall, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import { JSON_TYPE, type JsonSpan, llmSpan, send, span, spanId, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());
beforeEach(async () => {
  me = await app.stranger();
  // The source of its spans is known from now on, and what came last was new.
  await send(me, [span()]);
});

type Paths = Record<string, number>;

/** Numbers of transactions by path, since the start. */
async function allPaths(): Promise<Paths> {
  const metrics = (await app.clientWith(null).get('/metrics')) as string;
  const counts = metrics.matchAll(/^tracesheet_span_batches_total\{path="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...counts].map(([, path, count]) => [path!, Number(count)]));
}

async function pathsOf(work: () => Promise<unknown>): Promise<Paths> {
  const before = await allPaths();
  await work();
  const taken = Object.entries(await allPaths()).map(([path, count]) => [path, count - (before[path] ?? 0)] as const);
  return Object.fromEntries(taken.filter(([, count]) => count > 0));
}

function sendLogRecord({ traceId: trace, spanId: id }: JsonSpan) {
  const attributes = [text('event.name', 'gen_ai.user.message')];
  const logRecords = [
    { traceId: trace, spanId: id, timeUnixNano: '1780000000000000001', attributes, body: { stringValue: 'Hi' } },
  ];
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  return me.with(JSON_TYPE).request('POST', '/v1/logs', body);
}

/** Reports the log of a span like SDKs do. */
const reportLog = (id: unknown) =>
  me.post('/track-request', {
    function_name: 'openai.chat.completions.create',
    provider_type: 'openai',
    args: [],
    kwargs: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] },
    request_response: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }] },
    request_start_time: 1_780_000_000.5,
    request_end_time: 1_780_000_001,
    span_id: id,
  });

const FAST = { fast: 1 };
const REFUSED = { refused: 1, merged: 1 };
const MERGED = { merged: 1 };

/**
 * Name of the request, the path that its spans take, and the spans. The last function first sends earlier spans, where
 * they matter.
 */
const REQUESTS: [string, Paths, () => Promise<JsonSpan[]> | JsonSpan[]][] = [
  ['of new traces', FAST, () => [span(), llmSpan()]],
  [
    'of a trace that has others',
    FAST,
    async () => {
      const known = span();
      await send(me, [known]);
      return [span({ traceId: known.traceId })];
    },
  ],
  [
    'one of which is there',
    REFUSED,
    async () => {
      const known = span();
      await send(me, [known]);
      return [span(), known];
    },
  ],
  [
    'of a closed trace',
    REFUSED,
    async () => {
      const known = span();
      await send(me, [known], '?close_after=true');
      return [span({ traceId: known.traceId })];
    },
  ],
  [
    'for which log records have come',
    REFUSED,
    async () => {
      const told = llmSpan();
      await sendLogRecord(told);
      return [told];
    },
  ],
  [
    'right inside a call that is there',
    REFUSED,
    async () => {
      const outer = llmSpan();
      await send(me, [outer]);
      return [llmSpan({}, { traceId: outer.traceId, parentSpanId: outer.spanId })];
    },
  ],
  [
    'right around a call that is there',
    REFUSED,
    async () => {
      const inner = llmSpan({}, { parentSpanId: spanId() });
      await send(me, [inner]);
      return [llmSpan({}, { traceId: inner.traceId, spanId: inner.parentSpanId })];
    },
  ],
  [
    'that are two calls, one right inside the other',
    MERGED,
    () => {
      const outer = llmSpan();
      return [outer, llmSpan({}, { traceId: outer.traceId, parentSpanId: outer.spanId })];
    },
  ],
  ['that have a mark of an SDK', MERGED, () => [span({ attributes: [text('node_type', 'CODE_EXECUTION')] })]],
];

describe('spans', () => {
  it.each(REQUESTS)('%s are written so: %j', async (_, expected, made) => {
    const spans = await made();
    expect(await pathsOf(() => send(me, spans))).toEqual(expected);
  });

  it('for which a log was reported are refused as new ones', async () => {
    const named = span();
    await reportLog(named.spanId);
    expect(await pathsOf(() => send(me, [named]))).toEqual(REFUSED);
  });

  it('that come in bulk take the same ways', async () => {
    await storeBulk(me, [bulkSpan()]);
    const again = bulkSpan({ log_request: loggedCall() });
    expect(await pathsOf(() => storeBulk(me, [again]))).toEqual(FAST);
    expect(await pathsOf(() => storeBulk(me, [again]))).toEqual(REFUSED);
  });

  it('with a resource that is not stored yet take the merged path, and the fast path the next time', async () => {
    const resource = { attributes: [text('service.name', spanId())] };
    const sendFrom = () => {
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span()] }] }] });
      return me.with(JSON_TYPE).request('POST', '/v1/traces', body);
    };
    expect(await pathsOf(sendFrom)).toEqual(MERGED);
    expect(await pathsOf(sendFrom)).toEqual(FAST);
  });

  it('in a workspace return to the fast path a hundred requests after one depended on stored spans', async () => {
    const sendMany = async (count: number) => {
      for (let sent = 0; sent < count; sent++) await send(me, [span()]);
    };
    await send(me, [span({ attributes: [text('node_type', 'CODE_EXECUTION')] })]);
    expect(await pathsOf(() => sendMany(101))).toEqual({ merged: 100, fast: 1 });
    expect(await pathsOf(async () => send(await app.stranger(), [span()]))).toEqual(MERGED);
  });
});

describe('a transaction that refuses itself', () => {
  it('says why, under a code of its own', async () => {
    const refuse = `SELECT refuse_transaction('Trace ' || id || ' is closed.') FROM unnest($1::text[]) AS id`;
    await expect(app.sql(refuse, [['abc']])).rejects.toMatchObject({
      message: 'Trace abc is closed.',
      code: 'TS001',
    });
    expect(await app.sql(refuse, [[]])).toEqual([]);
  });
});

interface SpanRow {
  span_id: string;
  parent_id: string | null;
  name: string;
  status: number;
  log_link: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
  start_ns: string;
  end_ns: string | null;
}

/** The rules in other words. */
function summaryOf(spans: SpanRow[]) {
  const byStart = spans.toSorted(
    (a, b) => Number(BigInt(a.start_ns) - BigInt(b.start_ns)) || (a.span_id < b.span_id ? -1 : 1),
  );
  const calls = spans.filter(({ log_link: link }) => link === 0 || link === 1);
  const sum = (values: (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const root = byStart.find(({ parent_id: parent }) => parent === null);
  const ends = spans.flatMap(({ start_ns: start, end_ns: end }) =>
    end === null ? [] : [BigInt(end) > BigInt(start) ? BigInt(end) : BigInt(start)],
  );
  return {
    span_count: spans.length,
    error_count: spans.filter(({ status }) => status === 2).length,
    input_tokens: String(sum(calls.map((call) => call.input_tokens))),
    output_tokens: String(sum(calls.map((call) => call.output_tokens))),
    cost: expect.closeTo(sum(calls.map(({ cost }) => cost)), 12) as number,
    unpriced_count: calls.filter(({ cost }) => cost === null).length,
    start_ns: byStart[0]!.start_ns,
    end_ns: ends.length > 0 ? String(ends.reduce((last, end) => (end > last ? end : last))) : null,
    root_start_ns: root?.start_ns ?? null,
    root_span_id: root?.span_id ?? null,
    root_name: root?.name ?? null,
  };
}

const SUMMARIES = `
  SELECT trace_id, span_count, error_count, input_tokens, output_tokens, cost, unpriced_count, start_ns, end_ns, root_start_ns,
         root_span_id, root_name
    FROM traces WHERE trace_id = ANY($1) ORDER BY trace_id`;
const SPANS = `
  SELECT trace_id, span_id, parent_id, name, status, CASE WHEN request_log_id IS NOT NULL THEN log_link END AS log_link,
         input_tokens, output_tokens, cost, start_ns, end_ns
    FROM spans WHERE trace_id = ANY($1)`;

describe('the sums of a trace', () => {
  const ID = fc.integer({ min: 0, max: 4 });
  const SPAN = fc.record({
    trace: fc.integer({ min: 0, max: 1 }),
    id: ID,
    parent: fc.option(ID),
    start: fc.integer({ min: 0, max: 3 }),
    lasts: fc.option(fc.integer({ min: -2, max: 3 })),
    fails: fc.boolean(),
    model: fc.constantFrom(null, 'gpt-4o-mini', 'our-own'),
    tokens: fc.nat(3_000_000),
    answer: fc.constantFrom('yes', 'no'),
  });
  type Made = typeof SPAN extends fc.Arbitrary<infer T> ? T : never;

  /** Ids are of one run: the numbers of spans and traces become such ids. */
  function toSpan({ trace, id, parent, start, lasts, fails, model, tokens, answer }: Made, ids: string[]): JsonSpan {
    const idOf = (number: number) => `${ids[0]!.slice(0, 15)}${number}`;
    const fields = {
      traceId: ids[trace],
      spanId: idOf(id),
      parentSpanId: parent === null ? '' : idOf(parent),
      name: `${id} from ${start}`,
      startTimeUnixNano: `${1_780_000_000 + start}000000000`,
      endTimeUnixNano: lasts === null ? '0' : `${1_780_000_000 + start + lasts}000000000`,
      status: { code: fails ? 2 : 0 },
    };
    return model === null
      ? span(fields)
      : llmSpan({ model, provider: 'openai', inputTokens: tokens, output: answer }, fields);
  }

  /** Its second request has the span of the first, so that every way is taken whatever comes by chance afterwards. */
  const FIRST: Made = {
    trace: 0,
    id: 0,
    parent: null,
    start: 0,
    lasts: 1,
    fails: false,
    model: null,
    tokens: 0,
    answer: 'yes',
  };
  const SENT_AGAIN = [[FIRST], [{ ...FIRST, lasts: 2 }]];

  it('follow from its spans on every path, and are the same when recomputed', async () => {
    const requests = fc.array(fc.array(SPAN, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    const taken = await pathsOf(() =>
      fc.assert(
        fc.asyncProperty(requests, async (made) => {
          const ids = [traceId(), traceId()];
          for (const spans of made)
            await send(
              me,
              spans.map((each) => toSpan(each, ids)),
            );
          const spans = (await app.sql(SPANS, [ids])) as (SpanRow & { trace_id: string })[];
          const summaries = (await app.sql(SUMMARIES, [ids])) as { trace_id: string; cost: string }[];
          for (const { trace_id: id, cost, ...rest } of summaries) {
            expect({ ...rest, cost: Number(cost) }).toEqual(summaryOf(spans.filter((each) => each.trace_id === id)));
          }
          const [{ workspace_id: workspaceId }] = (await app.sql(
            'SELECT workspace_id FROM traces WHERE trace_id = ANY($1)',
            [ids],
          )) as [{ workspace_id: number }];
          const keys = summaries.map(({ trace_id: id }) => ({ workspaceId, traceId: id }));
          await transactionOf(app.app.get(DataSource), recomputeRollups(keys));
          expect(await app.sql(SUMMARIES, [ids])).toEqual(summaries);
        }),
        { numRuns: tries(120), examples: [[SENT_AGAIN]] },
      ),
    );
    expect(Object.keys(taken).toSorted()).toEqual(['fast', 'merged', 'refused']);
  });
});
