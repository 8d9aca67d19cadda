import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import type { Caller } from '../../access/index.js';
import { GroupCommit, type Weight } from '../../platform/database/group-commit.js';
import { discard } from '../../platform/discard.js';
import { EventLoopTurns } from '../../platform/event-loop-turns.js';
import type { DecodedTraces, Rejection } from '../otlp/span-collector.js';
import type { Aside } from '../receipts/asides.js';
import type { NormalizedSpan } from '../../trace-conventions/index.js';
import type { DeliveryHead, IncomingSpan, SpanOutcome } from './incoming-span.js';
import { OutcomeReports } from './outcome-reports.js';
import { type CallBeside, type KnownSpan, SpanPreparation } from './span-preparation.js';
import type { StoredSpanContent } from './stored-spans.queries.js';
import { SpanBatchWriter, type Submission } from './span-batch.js';

/** Small enough that the two writers take turns, large enough that a commit costs little. */
const BATCH_LIMITS = { writers: 2, rows: 500, bytes: 4 * 1024 * 1024 };

/**
 * Bodies that may be decoded and not yet stored: the batches of both writers and the next ones. A decoded body takes
 * much more memory, so all others wait undecoded. Counted in units; the smallest body takes one.
 */
const DECODED = { bytes: 6 * 1024 * 1024, unit: 64 * 1024 };
const DECODED_UNITS = DECODED.bytes / DECODED.unit;

/** A request as it came. */
export interface EncodedRequest {
  /** It is discarded. */
  body: Buffer;
  /** Decodes the body. Called again if the spans could not be written as new ones. */
  decode: () => DecodedTraces;
  /** Close every trace of the request once its spans are stored. */
  closeAfter: boolean;
}

/** The spans of a request, decoded. */
export interface DecodedRequest {
  spans: NormalizedSpan[];
  /** The size they arrived in. */
  bytes: number;
  closeAfter: boolean;
  /** Skipped spans of the request, for its receipt. */
  asides: Aside[];
}

/** The result, with the spans that were refused while decoding. */
export interface DecodedResult extends IngestResult {
  refused: Rejection[];
}

export interface IngestResult {
  /** Receipt with the outcome of every span. */
  receiptId: string;
  /** One per span, in order. */
  outcomes: SpanOutcome[];
}

/** The only way into the span tables, for all endpoints. */
@Injectable()
export class IngestionService implements OnModuleDestroy {
  private readonly commits: GroupCommit<Ready, SpanOutcome[]>;
  private readonly room = new Semaphore(DECODED_UNITS);
  private readonly turns = new EventLoopTurns();

  constructor(
    private readonly writer: SpanBatchWriter,
    private readonly preparation: SpanPreparation,
    private readonly reports: OutcomeReports,
  ) {
    this.commits = new GroupCommit(
      (batch) => this.write(batch),
      BATCH_LIMITS,
      ({ workspaceId }) => workspaceId,
    );
  }

  /**
   * Decodes and stores a body of this size when there is room for it, in the order of arrival. Writers continue their
   * batches between two bodies: otherwise many small bodies that arrive together would hold them up.
   */
  whenRoom<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    // A body larger than the limit is accepted when no other is decoded.
    const units = Math.min(DECODED_UNITS, Math.ceil(Math.max(1, bytes) / DECODED.unit));
    return this.room.runExclusive(async () => {
      await this.turns.next();
      return work();
    }, units);
  }

  /**
   * Stores spans, and the calls of models that they describe as request logs; resolves after the commit. A span that
   * the database refuses does not affect the others. Rejects when the database cannot be reached: then nothing is
   * stored.
   */
  async ingest(caller: Caller, request: EncodedRequest): Promise<DecodedResult> {
    const decoded = request.decode();
    const result = await this.store(caller, request, decoded);
    this.reports.reportRejected(caller.workspaceId, decoded.rejected);
    return { refused: decoded.rejected, ...result };
  }

  /** Stores all the spans of a request or none, and as request logs exactly the calls that came beside them. */
  ingestTogether(caller: Caller, request: DecodedRequest, calls: (CallBeside | null)[]): Promise<IngestResult> {
    const { bytes, closeAfter, asides } = request;
    const spans = request.spans.map((span, index) =>
      this.preparation.combine(caller, span, { call: calls[index], closeAfter }),
    );
    return this.storeTogether(headOf(caller, { asides, atomic: true }), spans, bytes);
  }

  /** Stores all spans of the server's own work or none. All facts are given, so no attributes are read. */
  ingestOwn(caller: Caller, own: KnownSpan[], bytes: number): Promise<IngestResult> {
    const spans = own.map((known) => this.preparation.own(caller, known));
    return this.storeTogether(headOf(caller, { asides: [], atomic: true }), spans, bytes);
  }

  /** Reads stored spans again after new facts about them became known. */
  async ingestAgain(caller: Caller, stored: StoredSpanContent[]): Promise<void> {
    if (stored.length === 0) return;
    const spans = stored.map(({ span, attributes }) => {
      const incoming = this.preparation.read(caller, span, false);
      incoming.attributes = attributes;
      return incoming;
    });
    const head = headOf(caller, { asides: [], atomic: false });
    const bytes = stored.reduce((sum, { attributes }) => sum + attributes.length, 0);
    const weight = { rows: spans.length, bytes };
    await this.submit(head, { taken: null, delivery: () => ({ ...head, spans }), weight, spent: [] });
  }

  /** Waits until requests that are already decoded are written, before the database connection closes. */
  async onModuleDestroy(): Promise<void> {
    await this.commits.idle();
  }

  private storeTogether(head: DeliveryHead, spans: IncomingSpan[], bytes: number): Promise<IngestResult> {
    const { fastPath } = this.writer;
    const isTried = fastPath.expectsNew(
      head,
      spans.map(({ span }) => span),
    );
    const delivery = { ...head, spans };
    const taken = isTried ? fastPath.take(head, spans) : null;
    return this.submit(head, { taken, delivery: () => delivery, weight: { rows: spans.length, bytes }, spent: [] });
  }

  private store(
    caller: Caller,
    { body, decode, closeAfter }: EncodedRequest,
    { spans, asides }: DecodedTraces,
  ): Promise<IngestResult> {
    const head = headOf(caller, { asides, atomic: false });
    const weight = { rows: spans.length, bytes: body.length };
    const read = (span: NormalizedSpan) => this.preparation.read(caller, span, closeAfter);
    const { fastPath } = this.writer;
    const isTried = fastPath.expectsNew(head, spans);
    const taken = isTried ? fastPath.takeReading(head, spans, read) : null;
    if (taken) {
      const readAgain = () => ({ ...head, spans: decode().spans.map(read) });
      return this.submit(head, { taken, delivery: readAgain, weight, spent: [body] });
    }
    // Spans that were tried are used up, so they are decoded again.
    const delivery = { ...head, spans: (isTried ? decode().spans : spans).map(read) };
    discard([body]);
    const spent = delivery.spans.map(({ attributes }) => attributes).filter(Buffer.isBuffer);
    return this.submit(head, { taken: null, delivery: () => delivery, weight, spent });
  }

  private async submit(head: DeliveryHead, ready: Omit<Ready, 'workspaceId'>): Promise<IngestResult> {
    const { workspaceId, receiptId } = head;
    const outcomes = await this.commits.submit({ workspaceId, ...ready }, ready.weight);
    this.reports.report(head, outcomes);
    return { receiptId, outcomes };
  }

  private async write(batch: Ready[]): Promise<PromiseSettledResult<SpanOutcome[]>[]> {
    const settled = await this.writer.write(batch);
    discard(batch.flatMap(({ spent }) => spent));
    return settled;
  }
}

interface Ready extends Submission {
  workspaceId: number;
  weight: Weight;
  /** Buffers that are unused once the spans are stored. */
  spent: Buffer[];
}

function headOf({ workspaceId }: Caller, rest: Pick<DeliveryHead, 'asides' | 'atomic'>): DeliveryHead {
  return { workspaceId, receiptId: randomUUID(), ...rest };
}
