import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

export interface CounterDefinition<Label extends string> {
  name: string;
  help: string;
  labelNames: readonly Label[];
}

export type CounterDefinitions = Record<string, CounterDefinition<string>>;

/** The counters that such definitions become. */
export type CountersOf<D extends CounterDefinitions> = {
  readonly [K in keyof D]: Counter<D[K]['labelNames'][number]>;
};

export const platformCounters = {
  workClaims: {
    name: 'work_claims_total',
    help: 'Claims on queued work by kind and how they ended: done, failed, exhausted, or why they were aborted.',
    labelNames: ['kind', 'outcome'],
  },
} as const satisfies CounterDefinitions;

/** What the server counts. Every manifest adds the counters of its domain to this interface. */
export interface Counters extends CountersOf<typeof platformCounters> {}

/** Injection token of the definitions of all counters. */
export const COUNTERS = Symbol('COUNTERS');

/** Everything `/metrics` shows. One instance per application, so that two in one process do not share counters. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly counters: Counters;

  readonly httpDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [this.registry],
  });

  constructor(@Inject(COUNTERS) definitions: CounterDefinitions) {
    const counters = Object.entries(definitions).map(([key, definition]) => [
      key,
      new Counter({ ...definition, registers: [this.registry] }),
    ]);
    this.counters = Object.fromEntries(counters) as Counters;
    collectDefaultMetrics({ register: this.registry });
  }
}
