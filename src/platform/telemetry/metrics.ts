import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Everything `/metrics` shows. One instance per application, so that two in one process do not share counters. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly httpDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [this.registry],
  });

  readonly spansIngested = new Counter({
    name: 'spans_ingested_total',
    help: 'Spans by what became of them.',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  readonly cellsComputed = new Counter({
    name: 'cells_computed_total',
    help: 'Computed cells by column type and outcome.',
    labelNames: ['type', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly workClaims = new Counter({
    name: 'work_claims_total',
    help: 'Claims on queued work by kind and how they ended: done, failed, exhausted, or why they were aborted.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly eventsConsumed = new Counter({
    name: 'events_consumed_total',
    help: 'Events by consumer and outcome: consumed, failed (and tried again), passed_over (after the last try).',
    labelNames: ['consumer', 'outcome'] as const,
    registers: [this.registry],
  });

  readonly rowsExpired = new Counter({
    name: 'rows_expired_total',
    help: 'What was deleted because a workspace keeps it no longer: traces, spans, request_logs.',
    labelNames: ['kind'] as const,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}
