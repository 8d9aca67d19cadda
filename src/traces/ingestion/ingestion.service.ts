import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { discard } from '../../platform/discard.js';
import { EventLoopTurns } from '../../platform/event-loop-turns.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import type { Rejection } from '../otlp/span-collector.js';
import type { NormalizedSpan } from '../span.js';
import type { Delivery, IncomingSpan, SpanOutcome } from './incoming-span.js';
import { IngestionBells } from './ingestion-bells.js';
import { type CallBeside, SpanPreparation } from './span-preparation.js';
import { SpanBatchWriter } from './span-batch.js';

/** Small enough that the two writers take turns, large enough that a commit costs little. */
const BATCH_LIMITS = { writers: 2, rows: 500, bytes: 4 * 1024 * 1024 };

/**
 * Bodies that may be decoded and not yet stored: both writers' batches and what they take next. Decoded, a body takes
 * much more memory, so the others wait as they came. Counted in units, of which the smallest body takes one.
 */
const DECODED = { bytes: 6 * 1024 * 1024, unit: 64 * 1024 };
const DECODED_UNITS = DECODED.bytes / DECODED.unit;

/** The spans of a request, decoded. */
export interface IngestRequest {
  spans: NormalizedSpan[];
  /** The size they arrived in. */
  bytes: number;
  /** What the spans were decoded from, if they still read from it; it is discarded. */
  body?: Buffer;
  /** Close every trace of the request once its spans are stored. */
  closeAfter: boolean;
  /** What was refused while decoding. */
  refused?: Rejection[];
}

export interface IngestResult {
  /** Under which the caller can ask what became of every span. */
  receiptId: string;
  /** One per span, in order. */
  outcomes: SpanOutcome[];
}

/** What of spans is kept outside of the heap. */
function* payloadsOf(spans: IncomingSpan[]): Generator<Buffer> {
  for (const { attributes, call } of spans) {
    if (Buffer.isBuffer(attributes)) yield attributes;
    if (call) yield* [call.input, call.output];
  }
}

/** The one way into the span tables, whatever endpoint a span came through. */
@Injectable()
export class IngestionService implements OnModuleDestroy {
  private readonly commits: GroupCommit<Delivery, SpanOutcome[]>;
  private readonly room = new Semaphore(DECODED_UNITS);
  private readonly turns = new EventLoopTurns();

  constructor(
    db: DataSource,
    private readonly preparation: SpanPreparation,
    private readonly metrics: Metrics,
    private readonly bells: IngestionBells,
  ) {
    const writer = new SpanBatchWriter(db);
    this.commits = new GroupCommit((deliveries) => writer.write(deliveries), BATCH_LIMITS);
  }

  /**
   * Decodes and stores a body of so many bytes when there is room for it; in the order of arrival. Between two bodies the
   * writers get on with their batches: many small bodies that arrive together would hold them up otherwise.
   */
  whenRoom<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    // A body larger than all the room is taken when it is alone.
    const units = Math.min(DECODED_UNITS, Math.ceil(Math.max(1, bytes) / DECODED.unit));
    return this.room.runExclusive(async () => {
      await this.turns.next();
      return work();
    }, units);
  }

  /**
   * Stores spans, and the calls of models that they describe as request logs; resolves after the commit. A span that
   * the database refuses does not hinder the others. Rejects when the database cannot be reached: then nothing is stored.
   */
  async ingest(caller: Caller, request: IngestRequest): Promise<IngestResult> {
    const spans = request.spans.map((span) => this.preparation.read(caller, span, request.closeAfter));
    if (request.body) discard([request.body]);
    const result = await this.submit(caller, request, { spans, atomic: false });
    discard(payloadsOf(spans));
    return result;
  }

  /** Stores all the spans of a request or none, and as request logs exactly the calls that came beside them. */
  ingestTogether(caller: Caller, request: IngestRequest, calls: (CallBeside | null)[]): Promise<IngestResult> {
    const spans = request.spans.map((span, index) =>
      this.preparation.combine(caller, span, { call: calls[index], closeAfter: request.closeAfter }),
    );
    return this.submit(caller, request, { spans, atomic: true });
  }

  /** A request that is already decoded is written before the database connection goes away. */
  async onModuleDestroy(): Promise<void> {
    await this.commits.idle();
  }

  private async submit(
    { workspaceId }: Caller,
    { bytes, refused = [] }: IngestRequest,
    { spans, atomic }: { spans: IncomingSpan[]; atomic: boolean },
  ): Promise<IngestResult> {
    const delivery = { workspaceId, receiptId: randomUUID(), spans, refused, atomic };
    const outcomes = await this.commits.submit(delivery, { rows: spans.length, bytes });
    this.count(outcomes);
    this.bells.ring(outcomes);
    return { receiptId: delivery.receiptId, outcomes };
  }

  private count(outcomes: SpanOutcome[]): void {
    const counts = new Map<string, number>();
    for (const { kind } of outcomes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [outcome, count] of counts) this.metrics.spansIngested.inc({ outcome }, count);
  }
}
