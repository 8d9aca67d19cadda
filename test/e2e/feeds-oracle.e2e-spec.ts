import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { atDepth } from '../support/depth.js';
import { newWorkspace } from '../support/erasures.js';
import { cellsOf, newSheet, type TestSheet } from '../support/factories.js';
import { changeFeed, explain, type Feed, newFeed, readFeed, settledFeed } from '../support/feeds.js';
import { logCall, send, span, traceId } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** Random histories of two feeds, one of requests and one of traces, compared with a model of their decisions. */
const RUNS = atDepth({ numRuns: 1, maxLength: 25, minLength: 15 }, { numRuns: 25, maxLength: 60, minLength: 10 });

type Decision = 'chosen' | 'sampled_out' | 'filtered' | 'rows_per_day';

interface Settings {
  kind: 'a' | null;
  rate: number;
  most: number | null;
}

type Command =
  | { do: 'call'; kind: 'a' | 'b' }
  | { do: 'trace'; kind: 'a' | 'b' }
  | { do: 'grow' | 'close'; which: number }
  | { do: 'quiet' | 'pause' | 'resume' | 'abort' }
  | { do: 'edit'; settings: Settings };

const kind = fc.constantFrom('a', 'b');
const commands = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('call'), kind }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('trace'), kind }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('grow', 'close'), which: fc.nat(20) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('quiet', 'pause', 'resume', 'abort') }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('edit'),
        settings: fc.record({
          kind: fc.constantFrom('a', null),
          rate: fc.constantFrom(0.5, 1),
          most: fc.constantFrom(null, null, 2, 5),
        }),
      }),
    },
  ) as fc.Arbitrary<Command>,
  { minLength: RUNS.minLength, maxLength: RUNS.maxLength },
);

interface Item {
  id: string;
  sampleKey: string;
  kind: string;
  spans: number;
}

/** A feed as it must be. It says nothing of how the product does it. */
class FeedModel {
  settings: Settings = { kind: null, rate: 1, most: null };
  isPaused = false;
  grown = 0;
  /** In the order of the decisions. */
  readonly decided = new Map<string, Decision>();
  /** By id of a chosen item: the spans that its row shows. */
  readonly rows = new Map<string, number>();
  private readonly seen = new Set<string>();
  private waiting: Item[] = [];

  arrive(item: Item): void {
    this.waiting.push(item);
    if (!this.isPaused) this.decideAll();
  }

  resume(): void {
    this.isPaused = false;
    this.decideAll();
  }

  count(decision: Decision): number {
    return [...this.decided.values()].filter((each) => each === decision).length;
  }

  private decideAll(): void {
    // An item that arrives twice during a pause is decided first, and has grown then.
    for (const item of this.waiting) {
      if (!this.seen.has(item.id)) this.decided.set(item.id, this.decide(item));
      else if (this.rows.has(item.id)) this.grown++;
      this.seen.add(item.id);
      if (this.decided.get(item.id) === 'chosen') this.rows.set(item.id, item.spans);
    }
    this.waiting = [];
  }

  private decide({ sampleKey, kind: own }: Item): Decision {
    const { rate, kind: wanted, most } = this.settings;
    const sample = Number.parseInt(createHash('sha256').update(sampleKey).digest('hex').slice(0, 12), 16) / 2 ** 48;
    if (sample >= rate) return 'sampled_out';
    if (wanted !== null && own !== wanted) return 'filtered';
    return most !== null && this.count('chosen') >= most ? 'rows_per_day' : 'chosen';
  }
}

/** A trace that was sent. */
interface SentTrace extends Item {
  isClosed: boolean;
  /** No span came for an hour. */
  isQuiet: boolean;
  /** The spans with which it arrived last. */
  arrived: number | null;
}

const ROOT = '00f067aa0ba902b7';

const FILTERS = {
  requests: (value: string) => ({ filters: [{ field: 'engine', operator: 'is', value }] }),
  traces: (value: string) => ({ filters: [{ field: 'trace_name', operator: 'is', value }] }),
};

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

/** The product and its model, side by side. */
class Life {
  private readonly traces: SentTrace[] = [];
  private readonly ofCalls = new FeedModel();
  private readonly ofTraces = new FeedModel();

  private constructor(
    private readonly me: Client,
    private readonly workspaceId: number,
    private readonly sheets: TestSheet[],
    private readonly feeds: Feed[],
  ) {}

  static async begin(): Promise<Life> {
    const { me, id } = await newWorkspace(app);
    const sheets = [await newSheet(me), await newSheet(me)];
    const calls = await newFeed(me, sheets[0]!, { source: 'requests' });
    const options = { source: 'traces', quiet_seconds: 3600, fields: ['span_count'] };
    const traces = await newFeed(me, sheets[1]!, options);
    return new Life(me, id, sheets, [calls, traces]);
  }

  async run(command: Command): Promise<void> {
    switch (command.do) {
      case 'call':
        return this.call(command.kind);
      case 'trace':
        return this.trace(command.kind);
      case 'grow':
        return this.grow(this.openTrace(command.which));
      case 'close':
        return this.close(this.openTrace(command.which));
      case 'quiet':
        return this.quiet();
      case 'edit':
        return this.edit(command.settings);
      case 'abort':
        return this.abort();
      default:
        return this.setState(command.do);
    }
  }

  /** Waits until everything is decided, and compares. */
  async compare(): Promise<void> {
    await this.setState('resume');
    for (const [index, model] of [this.ofCalls, this.ofTraces].entries()) {
      const feed = await settledFeed(app, this.me, this.feeds[index]!, { endsTurn: false });
      const { chosen, sampled_out, filtered, rows_per_day, grown, seen } = feed.last_hour;
      expect({ chosen, sampled_out, filtered, rows_per_day, grown, seen }).toEqual({
        chosen: model.count('chosen'),
        sampled_out: model.count('sampled_out'),
        filtered: model.count('filtered'),
        rows_per_day: model.count('rows_per_day'),
        grown: model.grown,
        seen: model.decided.size,
      });
      await this.compareRows(index, model);
    }
    await this.compareAnswers();
  }

  private async compareRows(index: number, model: FeedModel): Promise<void> {
    const [sheet, feed] = [this.sheets[index]!, this.feeds[index]!];
    const ids = await cellsOf(this.me, sheet, feed.columns[index === 0 ? 'request_id' : 'trace_id']!);
    expect(ids.slice(1).map(({ value }) => String(value))).toEqual([...model.rows.keys()]);
    if (index === 0) return;
    const spans = await cellsOf(this.me, sheet, feed.columns.span_count!);
    expect(spans.slice(1).map(({ value }) => Number(value))).toEqual([...model.rows.values()]);
  }

  private async compareAnswers(): Promise<void> {
    for (const [id, decision] of this.ofCalls.decided) {
      expect(await explain(this.me, this.feeds[0]!, { request_id: id })).toMatchObject({ decision });
    }
    for (const [id, decision] of this.ofTraces.decided) {
      const isRecorded = decision === 'chosen' || decision === 'rows_per_day';
      expect(await explain(this.me, this.feeds[1]!, { trace_id: id })).toMatchObject({
        is_recorded: isRecorded,
        ...(isRecorded && { decision }),
      });
    }
  }

  private async call(name: string): Promise<void> {
    const trace = traceId();
    const id = String(await logCall(this.me, { model: name }, { traceId: trace, spanId: ROOT, name }));
    await untilSearchable(app, this.workspaceId);
    this.ofCalls.arrive({ id, sampleKey: trace, kind: name, spans: 1 });
    this.add(trace, name);
    await this.decided();
  }

  private async trace(name: string): Promise<void> {
    const id = traceId();
    await send(this.me, [span({ traceId: id, spanId: ROOT, name })]);
    await untilSearchable(app, this.workspaceId);
    this.add(id, name);
  }

  private add(id: string, name: string): void {
    this.traces.push({ id, sampleKey: id, kind: name, spans: 1, isClosed: false, isQuiet: false, arrived: null });
  }

  private openTrace(which: number): SentTrace | undefined {
    const open = this.traces.filter(({ isClosed }) => !isClosed);
    return open[which % open.length];
  }

  private async grow(trace: SentTrace | undefined): Promise<void> {
    if (!trace) return;
    await send(this.me, [span({ traceId: trace.id, name: 'more', parentSpanId: ROOT })]);
    await untilSearchable(app, this.workspaceId);
    Object.assign(trace, { spans: trace.spans + 1, isQuiet: false });
  }

  private async close(trace: SentTrace | undefined): Promise<void> {
    if (!trace) return;
    await this.me.post(`/api/public/v2/traces/${trace.id}/close`, {}, 201);
    await untilSearchable(app, this.workspaceId);
    trace.isClosed = true;
    this.arrive(trace);
    await this.decided();
  }

  /** An hour passes in which no trace grows. */
  private async quiet(): Promise<void> {
    for (const trace of this.traces) trace.isQuiet = true;
    await app.sql(`UPDATE open_traces SET changed_at = changed_at - interval '1 hour' WHERE workspace_id = $1`, [
      this.workspaceId,
    ]);
    if (!this.ofTraces.isPaused) await this.letQuietArrive();
  }

  /** Quiet traces do not arrive while the feed is paused. They arrive when it is resumed. */
  private async letQuietArrive(): Promise<void> {
    const waiting = `SELECT FROM open_traces
      WHERE workspace_id = $1 AND changed_at < now() - interval '1 hour' AND 3600 <> ALL (arrived_waits)`;
    await until(async () => {
      await app.sweep('feeds');
      return (await app.sql(waiting, [this.workspaceId])).length === 0;
    });
    const due = this.traces.filter(({ isClosed, isQuiet }) => isQuiet && !isClosed);
    for (const trace of due.toSorted((one, other) => (one.id < other.id ? -1 : 1))) this.arrive(trace);
    await this.decided();
  }

  private arrive(trace: SentTrace): void {
    if (trace.arrived === trace.spans) return;
    trace.arrived = trace.spans;
    this.ofTraces.arrive({ ...trace });
  }

  private async edit(settings: Settings): Promise<void> {
    const { kind: wanted, rate, most } = settings;
    for (const [index, source] of (['requests', 'traces'] as const).entries()) {
      const filter_group = wanted && FILTERS[source](wanted);
      await changeFeed(this.me, this.feeds[index]!, { filter_group, sample_rate: rate, rows_per_day: most });
    }
    this.ofCalls.settings = this.ofTraces.settings = settings;
  }

  private async setState(to: 'pause' | 'resume'): Promise<void> {
    const isPaused = to === 'pause';
    for (const feed of this.feeds) await changeFeed(this.me, feed, { state: isPaused ? 'paused' : 'active' });
    if (isPaused) {
      this.ofCalls.isPaused = this.ofTraces.isPaused = true;
      return;
    }
    this.ofCalls.resume();
    this.ofTraces.resume();
    await this.letQuietArrive();
  }

  /** The connection of the worker is ended in the middle of its transaction, and the worker does not come back. */
  private async abort(): Promise<void> {
    if (this.ofCalls.isPaused) return;
    await app.inTransaction(async (locking) => {
      await locking('SELECT FROM sheets WHERE id = $1 FOR UPDATE', [this.sheets[0]!.id]);
      const id = traceId();
      const call = String(await logCall(this.me, { model: 'a' }, { traceId: id, spanId: ROOT, name: 'a' }));
      await untilSearchable(app, this.workspaceId);
      this.ofCalls.arrive({ id: call, sampleKey: id, kind: 'a', spans: 1 });
      this.add(id, 'a');
      const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%sheets%'`;
      await until(async () => (await app.sql(terminate)).length > 0);
    });
    await app.sql(`UPDATE feeds SET lease_until = now() - interval '1 second' WHERE status = 'running'`);
    await this.decided();
  }

  /** Waits until the feeds have decided about all items, before settings change. */
  private async decided(): Promise<void> {
    if (this.ofCalls.isPaused) return;
    await until(async () => {
      const feeds = await Promise.all(this.feeds.map((feed) => readFeed(this.me, feed)));
      if (feeds.every((feed) => feed.undecided_count === 0)) return true;
      await app.sweep('feeds');
      return false;
    });
  }
}

it('makes the decisions of its model, in any order of changes', async () => {
  const property = fc.asyncProperty(commands, async (all) => {
    const life = await Life.begin();
    for (const command of all) await life.run(command);
    await life.compare();
  });
  await fc.assert(property, { numRuns: RUNS.numRuns, endOnFailure: true });
}, 600_000);
