import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/telemetry/metrics.js';
import type { Rejection } from '../otlp/span-collector.js';
import { RefusalCounts } from '../refusals/refusal-counts.js';
import type { DeliveryHead, SpanOutcome } from './incoming-span.js';
import { IngestionNotifier } from './ingestion-notifier.js';

/**
 * Reports outcomes of spans: to the metrics of the process, to the refusal counts of the workspace, and to workers and
 * followers.
 */
@Injectable()
export class OutcomeReports {
  constructor(
    private readonly metrics: Metrics,
    private readonly refusals: RefusalCounts,
    private readonly notifier: IngestionNotifier,
  ) {}

  /** Call it after the commit. Never waits and never fails. */
  report({ workspaceId, atomic }: DeliveryHead, outcomes: SpanOutcome[]): void {
    const counts = new Map<string, number>();
    for (const { kind } of outcomes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [outcome, count] of counts) this.metrics.counters.spansIngested.inc({ outcome }, count);
    this.countRefusals(workspaceId, 'trace_closed', counts.get('closed'));
    // An atomic request is counted as a whole.
    if (!atomic) this.countRefusals(workspaceId, 'span_not_storable', counts.get('refused'));
    this.notifier.notify(workspaceId, outcomes);
  }

  /** Spans that were refused while they were decoded. */
  reportRejected(workspaceId: number, rejected: Rejection[]): void {
    for (const { reason, count } of rejected) this.countRefusals(workspaceId, reason, count);
  }

  /** The reason is a fixed code, because an error of the database may quote the span. */
  private countRefusals(workspaceId: number, reason: string, count = 0): void {
    if (count > 0) this.refusals.add(workspaceId, { what: 'span', reason }, count);
  }
}
