import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { type LlmCall, priceCall } from '../../requests/index.js';
import type { Reading } from '../conventions/convention.js';
import { Conventions } from '../conventions/conventions.js';
import { readSpanFacts } from '../conventions/span-facts.js';
import type { NormalizedSpan } from '../span.js';
import { GroupCommit } from './group-commit.js';
import { type IncomingSpan, type SpanFacts, type SpanOutcome, spanKeyOf, traceKeyOf } from './incoming-span.js';
import { SpanBatchWriter } from './span-batch.js';

/** Small enough that the two writers take turns, large enough that a commit costs little. */
const BATCH_LIMITS = { writers: 2, items: 500, bytes: 4 * 1024 * 1024 };

/** The one way into the span tables, whatever endpoint a span came through. */
@Injectable()
export class IngestionService implements OnModuleDestroy {
  private readonly log = new Logger(IngestionService.name);
  private readonly commits: GroupCommit<IncomingSpan, SpanOutcome>;

  constructor(
    db: DataSource,
    private readonly conventions: Conventions,
    private readonly metrics: Metrics,
  ) {
    const writer = new SpanBatchWriter(db);
    this.commits = new GroupCommit((spans) => writer.write(spans), BATCH_LIMITS);
  }

  /**
   * Stores spans; resolves with one outcome per span after the commit. `bytes` is the size they arrived in.
   * Rejects when the database cannot be reached: then nothing is stored.
   */
  async ingest(
    caller: Caller,
    spans: NormalizedSpan[],
    options: { bytes: number; closeAfter: boolean },
  ): Promise<SpanOutcome[]> {
    if (spans.length === 0) return [];
    const incoming = spans.map((span) => this.prepare(caller, span, options.closeAfter));
    const outcomes = await this.commits.submit(incoming, options.bytes);
    this.count(outcomes);
    return outcomes;
  }

  /** A request that is already decoded is written before the database connection goes away. */
  async onModuleDestroy(): Promise<void> {
    await this.commits.idle();
  }

  private count(outcomes: SpanOutcome[]): void {
    const counts = new Map<string, number>();
    for (const { kind } of outcomes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [outcome, count] of counts) this.metrics.spansIngested.inc({ outcome }, count);
  }

  private prepare(caller: Caller, span: NormalizedSpan, closeAfter: boolean): IncomingSpan {
    const reading = this.read(span);
    const call = reading?.kind === 'llm' ? reading.call : null;
    const { workspaceId } = caller;
    const traceKey = traceKeyOf(workspaceId, span.traceId);
    return {
      workspaceId,
      traceKey,
      spanKey: spanKeyOf(traceKey, span.spanId),
      span,
      closeAfter,
      call,
      cost: priceOf(span, call),
      facts: factsOf(span, reading),
    };
  }

  /** A convention that fails costs the request log, never the span. */
  private read(span: NormalizedSpan) {
    try {
      return this.conventions.read(span);
    } catch (error) {
      this.log.error(`A convention failed on span ${span.traceId}/${span.spanId}: ${String(error)}`);
      return null;
    }
  }
}

/** US dollars; what the source reports wins over the price table. */
function priceOf(span: NormalizedSpan, call: LlmCall | null): number | null {
  if (!call) return null;
  return call.reportedPrice ?? priceCall({ ...call, at: new Date(Number(span.startNs / 1_000_000n)) });
}

function factsOf(span: NormalizedSpan, reading: Reading | null): SpanFacts {
  if (reading?.kind === 'llm') {
    const { provider, model, usage, prompt } = reading.call;
    const { input: inputTokens, output: outputTokens } = usage;
    return { spanType: reading.spanType, provider, model, inputTokens, outputTokens, prompt };
  }
  const { spanType, provider, model, usage, prompt } = readSpanFacts(span);
  return {
    spanType: reading?.spanType ?? spanType,
    provider,
    model,
    inputTokens: usage.input,
    outputTokens: usage.output,
    prompt,
  };
}
