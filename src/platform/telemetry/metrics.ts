import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../version.js';
import type { GaugeDefinitions } from './gauges.js';
import type { MetricDefinition } from './metric-definition.js';

export type CounterDefinition<Label extends string> = MetricDefinition<Label>;

export type CounterDefinitions = Record<string, CounterDefinition<string>>;

/** The counters of such definitions. */
export type CountersOf<D extends CounterDefinitions> = {
  readonly [K in keyof D]: Counter<D[K]['labelNames'][number]>;
};

export const platformCounters = {
  workClaims: {
    name: 'tracesheet_work_claims_total',
    help: 'Claims on queued work by kind and how they ended: done, failed, exhausted, or why they were aborted.',
    labelNames: ['kind', 'outcome'],
    worry: 'The outcome `exhausted` grows: workers die of some work. `failed` grows faster than usual.',
  },
  slowStatements: {
    name: 'tracesheet_slow_statements_total',
    help: 'SQL statements that took longer than SLOW_STATEMENT_MS, by pool of connections.',
    labelNames: ['pool'],
    worry: 'It grows steadily. The log says which statements.',
  },
  slowCells: {
    name: 'tracesheet_slow_cells_total',
    help: 'Cells, or groups of cells, whose computing took longer than SLOW_CELL_MS, by type of column.',
    labelNames: ['type'],
    worry: 'It grows for types that call no model. The log says which columns.',
  },
  spansExported: {
    name: 'tracesheet_exported_spans_total',
    help: 'Spans of the server about itself by what became of them: exported or failed.',
    labelNames: ['outcome'],
    worry: '`failed` grows: the receiver of the traces does not answer.',
  },
  gaugeFailures: {
    name: 'tracesheet_gauge_failures_total',
    help: 'Readings of gauges from the database that failed or took longer than a second, by gauge. The values of that reading are then missing from the gauge.',
    labelNames: ['gauge'],
    worry: 'It grows while PostgreSQL is well. The log says why.',
  },
} as const satisfies CounterDefinitions;

const platformHistograms = {
  httpDuration: {
    name: 'tracesheet_http_request_duration_seconds',
    help: 'Time from the headers of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    worry:
      'Statuses from 500 on are more than one in a hundred, or the 95th percentile of a route is far above its usual.',
  },
} as const satisfies Record<string, MetricDefinition<string>>;

const platformGauges = {
  info: {
    name: 'tracesheet_info',
    help: 'Always 1; its label has the version of the process.',
    labelNames: ['version'],
    worry: 'Several versions, when no update is under way.',
  },
  connections: {
    name: 'tracesheet_database_connections',
    help: 'Connections of this process to PostgreSQL by pool and state: idle, busy, and requests that wait for one (waiting).',
    labelNames: ['pool', 'state'],
    worry: '`waiting` is above 0 for minutes: DATABASE_POOL is too small or statements are too slow.',
  },
  queuesUp: {
    name: 'tracesheet_queues_up',
    help: '1 while Redis answers and the queues move, 0 while computed cells wait.',
    labelNames: [],
    worry: 'It is 0.',
  },
} as const satisfies Record<string, MetricDefinition<string>>;

/** For metrics of Node.js and of the process, which come from a package. */
const WORRIES: Record<string, string> = {
  nodejs_eventloop_lag_p99_seconds: 'Above 0.5 for minutes: the process has more to do than one core can.',
  process_resident_memory_bytes: 'It comes near the limit of the container, or grows for days.',
  process_open_fds: 'It comes near `process_max_fds`.',
  process_start_time_seconds: 'It changes again and again: the process crashes.',
  nodejs_gc_duration_seconds: 'Collections of the kind `major` take more than a tenth of the time.',
};

/** The counters of the server. Every manifest adds those of its domain to this interface. */
export interface Counters extends CountersOf<typeof platformCounters> {}

/** Injection token of the definitions of all counters. */
export const COUNTERS = Symbol('COUNTERS');

/** Injection token of the definitions of all gauges whose values come from the database. */
export const GAUGES = Symbol('GAUGES');

/** A metric as the reference describes it. */
export interface DescribedMetric {
  name: string;
  type: string;
  labels: readonly string[];
  help: string;
  worry: string;
  /** True for metrics of Node.js and the process. */
  isDefault: boolean;
}

/** All metrics. One instance per application, so that two in one process do not share counters. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly counters: Counters;

  readonly httpDuration = new Histogram({
    ...withoutWorry(platformHistograms.httpDuration),
    buckets: [0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [this.registry],
  });
  readonly connections = this.gauge(platformGauges.connections);
  readonly queuesUp = this.gauge(platformGauges.queuesUp);
  private readonly databaseGauges: ReadonlyMap<string, Gauge>;

  constructor(
    @Inject(COUNTERS) private readonly definitions: CounterDefinitions,
    @Inject(GAUGES) private readonly gauges: GaugeDefinitions,
  ) {
    const counters = Object.entries(definitions).map(([key, definition]) => [
      key,
      new Counter({ ...withoutWorry(definition), registers: [this.registry] }),
    ]);
    this.counters = Object.fromEntries(counters) as Counters;
    this.databaseGauges = new Map(
      Object.entries(gauges).map(([key, definition]) => [key, this.emptyGauge(definition)]),
    );
    this.gauge(platformGauges.info).set({ version: VERSION }, 1);
    collectDefaultMetrics({ register: this.registry });
  }

  /** A gauge whose values come from the database, by the key of its definition. */
  databaseGauge(key: string): { name: string; gauge: Gauge } {
    const [definition, gauge] = [this.gauges[key], this.databaseGauges.get(key)];
    if (!definition || !gauge) throw new Error(`A manifest reads the gauge "${key}", but none declares it.`);
    return { name: definition.name, gauge };
  }

  /** All metrics, those of the server first. */
  describe(): DescribedMetric[] {
    const own = [platformHistograms, platformGauges, this.gauges, this.definitions].flatMap(
      (some) => Object.values(some) as MetricDefinition<string>[],
    );
    const worries = new Map<string, string>(own.map(({ name, worry }) => [name, worry]));
    const described = this.registry.getMetricsAsArray().map((metric) => {
      const { name, help, type, labelNames = [] } = metric as typeof metric & { labelNames?: string[] };
      const worry = worries.get(name) ?? WORRIES[name] ?? '';
      return { name, type: String(type), labels: labelNames, help, worry, isDefault: !worries.has(name) };
    });
    return described.sort((a, b) => Number(a.isDefault) - Number(b.isDefault) || (a.name < b.name ? -1 : 1));
  }

  /** A gauge without labels starts at 0, which would look like a real value. */
  private emptyGauge(definition: MetricDefinition<string>): Gauge {
    const gauge = this.gauge(definition);
    gauge.remove({});
    return gauge;
  }

  private gauge<Label extends string>(definition: MetricDefinition<Label>): Gauge<Label> {
    return new Gauge({ ...withoutWorry(definition), registers: [this.registry] });
  }
}

function withoutWorry<Label extends string>({ name, help, labelNames }: MetricDefinition<Label>) {
  return { name, help, labelNames };
}
