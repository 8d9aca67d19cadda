import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ArrivalListeners, noteChangedTraces } from '../../arrivals/index.js';
import { isPassingFailure } from '../../platform/errors/failures.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import { groupBy, groupBySize } from '../../platform/group-by.js';
import type { Claim, Standing, Turn, WorkControl, WorkKind } from '../../platform/work/work-kind.js';
import {
  addSegment,
  forgetDocuments,
  isWord,
  lockIndex,
  type Segment,
  SegmentBuilder,
} from '../../text-search/index.js';
import { type KeptWords, Vocabulary } from '../../words/index.js';
import {
  clearSubtrees,
  setSubtrees,
  type SpanSearchRow,
  type TraceSearchRow,
  upsertSpanSearch,
  upsertTraceSearch,
} from './search-rows.queries.js';
import { spanFacetsOf } from './span-facets.js';
import { readFindings } from './span-findings.js';
import { PIECE, piecesOf } from '../shared/span-pieces.js';
import {
  PayloadReader,
  readOutlines,
  readTotals,
  type SearchedSpan,
  type SpanKey,
  type SpanOutline,
  type TraceTotals,
} from './spans-to-search.queries.js';
import { TraceDigest } from './trace-digest.js';
import { TraceDocument, TRACES } from './trace-document.js';
import { TraceFacetDigest } from './trace-facet-digest.js';
import {
  claimDueTraces,
  type ClaimedTrace,
  holdClaims,
  releaseClaims,
  removeFromQueue,
  renewClaims,
} from './trace-queue.queries.js';
import { shapeOf, type TraceShape } from './trace-shape.js';

/** Small traces are claimed and read together, and become a segment. Bytes are those of payloads as they are stored. */
const BATCH = { traces: 500, spans: 1000, bytes: 4 * 1024 * 1024 };
/** A trace that cannot be read is tried again after this long. */
const RETRY_MS = 60_000;

/**
 * Traces that were claimed together. Each has its own claim, so another process can take over one without the others.
 */
export interface ClaimedTraces extends Claim {
  traces: ClaimedTrace[];
}

/** Null when there are none. Attempts are not counted: a trace that cannot be read waits, and the others continue. */
export function together(traces: ClaimedTrace[]): ClaimedTraces | null {
  const [first] = traces;
  return first ? { workspaceId: first.workspaceId, claim: first.claim, attempts: 0, traces } : null;
}

/** Computes the search rows of traces and writes them. */
@Injectable()
export class TraceProjector implements WorkKind<ClaimedTraces> {
  readonly name = 'trace_search';
  readonly isUpkeep = true;
  private readonly log = new Logger(TraceProjector.name);

  constructor(
    private readonly db: DataSource,
    private readonly vocabulary: Vocabulary,
    private readonly arrivals: ArrivalListeners,
  ) {}

  async claim(turn: Turn, leaseMs: number): Promise<ClaimedTraces | null> {
    return together(await claimDueTraces(this.db.manager, turn, { leaseMs, limit: BATCH.traces, spans: BATCH.spans }));
  }

  /** Brings the search rows of claimed traces up to date. Skips traces that others claim meanwhile. */
  async work({ traces }: ClaimedTraces, { signal }: Pick<WorkControl, 'signal'>): Promise<void> {
    for (const batch of batchesOf(traces)) {
      signal.throwIfAborted();
      await this.projectOrRelease(batch);
    }
  }

  async renew(claims: ClaimedTraces[], leaseMs: number): Promise<Map<string, Standing>> {
    const traces = claims.flatMap((claim) => claim.traces);
    await renewClaims(this.db.manager, traces, leaseMs);
    return new Map(claims.map(({ claim }) => [claim, 'held']));
  }

  giveBack({ traces }: ClaimedTraces): Promise<void> {
    return releaseClaims(this.db.manager, traces);
  }

  /** Reached only when the database is unavailable or full: the leases end, and the traces are claimed again. */
  fail(_claim: ClaimedTraces, error: unknown): Promise<void> {
    return Promise.reject(error as Error);
  }

  private async projectOrRelease(batch: ClaimedTrace[]): Promise<void> {
    try {
      await this.projectBatch(batch);
    } catch (error) {
      if (isPassingFailure(error)) throw error;
      if (batch.length > 1) return this.project1by1(batch);
      this.log.error(`Trace ${batch[0]!.traceId} could not be made searchable: ${String(error)}`);
      await releaseClaims(this.db.manager, batch, RETRY_MS);
    }
  }

  private async project1by1(batch: ClaimedTrace[]): Promise<void> {
    for (const claim of batch) await this.projectOrRelease([claim]);
  }

  private async projectBatch(batch: ClaimedTrace[]): Promise<void> {
    const { workspaceId } = batch[0]!;
    const outlines = await readOutlines(
      this.db.manager,
      workspaceId,
      batch.map(({ traceId }) => traceId),
    );
    const sized = batch.map((claim, index) => ({ claim, spans: outlines[index]!, size: bytesOf(outlines[index]!) }));
    for (const some of groupBySize(sized, BATCH.bytes)) await this.projectSome(some);
  }

  private async projectSome(outlined: OutlinedTrace[]): Promise<void> {
    const batch = outlined.map(({ claim }) => claim);
    const { workspaceId } = batch[0]!;
    const ids = batch.map(({ traceId }) => traceId);
    const totals = await readTotals(this.db.manager, workspaceId, ids);
    const builder = new SegmentBuilder();
    const traces = outlined.flatMap((each) => {
      const ofTrace = totals.get(each.claim.traceId);
      return ofTrace && each.spans.length > 0 ? [new TraceWork(each, ofTrace, builder)] : [];
    });
    const reader = new PayloadReader(this.db.manager, workspaceId);
    for (const piece of piecesOf(placesOf(traces), PIECE)) {
      const rows = await readPiece(reader, piece);
      const held = await this.write(batch, (tx, claims) => upsertSpanSearch(tx, rows.filter(belongsTo(claims))));
      if (held.length < batch.length) return this.project1by1(held);
    }
    await this.finish(
      batch,
      traces.filter(({ row }) => row !== null),
      builder.finish(),
    );
  }

  /**
   * Writes the batch only when all its claims hold. If one was lost, the other traces are processed again, one by one.
   */
  private async finish(batch: ClaimedTrace[], traces: TraceWork[], segment: Segment): Promise<void> {
    const index = { workspaceId: batch[0]!.workspaceId, kind: TRACES };
    const summaries = traces.map(({ row }) => row!);
    const read = new Set(segment.keys);
    const missing = batch.map(({ traceId }) => traceId).filter((id) => !read.has(id));
    const kept = await this.keepWords(index.workspaceId, segment, summaries);
    let removed = new Set<string>();
    let isRead = false;
    const held = await this.write(batch, async (tx, current) => {
      if (current.length < batch.length) return;
      await writeSubtrees(tx, traces);
      await upsertTraceSearch(tx, summaries);
      removed = await removeFromQueue(tx, current);
      await lockIndex(tx, index);
      await this.vocabulary.confirm(tx, kept);
      await forgetDocuments(tx, index, missing);
      if (segment.documents > 0) await addSegment(tx, index, segment);
      isRead = await noteChangedTraces(tx, index.workspaceId, segment.keys);
    });
    if (isRead) this.arrivals.notify(index.workspaceId);
    if (held.length < batch.length) return this.project1by1(held);
    await releaseClaims(
      this.db.manager,
      held.filter(({ claim }) => !removed.has(claim)),
    );
  }

  private keepWords(workspaceId: number, { terms }: Segment, traces: TraceSearchRow[]): Promise<KeptWords> {
    const lastNs = traces.reduce((last, { summary }) => (summary.lastNs > last ? summary.lastNs : last), 0n);
    const words = terms.map(([term]) => term).filter(isWord);
    return this.vocabulary.keep(workspaceId, words, Number(lastNs / 1_000_000n));
  }

  /** Runs `work` under the locks of the search rows, with the claims that still hold; returns these claims. */
  private write(
    batch: ClaimedTrace[],
    work: (tx: EntityManager, held: ClaimedTrace[]) => Promise<void>,
  ): Promise<ClaimedTrace[]> {
    return repeatableTransaction(this.db, async (tx) => {
      const held = await holdClaims(tx, batch);
      if (held.length > 0) await work(tx, held);
      return held;
    });
  }
}

/** A trace with the outlines of its spans; `size` is the size of their payloads in bytes. */
interface OutlinedTrace {
  claim: ClaimedTrace;
  spans: SpanOutline[];
  size: number;
}

const bytesOf = (spans: SpanOutline[]): number => spans.reduce((sum, { bytes }) => sum + bytes, 0);

/** A trace that is being made searchable. */
class TraceWork {
  readonly claim: ClaimedTrace;
  /** In the order of `byStart`. */
  readonly spans: SpanOutline[];
  readonly shape: TraceShape;
  /** Set once all spans were read; null where none existed any more. */
  row: TraceSearchRow | null = null;
  private readonly bySpan: Map<string, SpanOutline>;
  private readonly digest: TraceDigest;
  private readonly facets: TraceFacetDigest;
  private document: TraceDocument | null = null;

  constructor(
    { claim, spans }: OutlinedTrace,
    readonly totals: TraceTotals,
    private readonly builder: SegmentBuilder,
  ) {
    this.claim = claim;
    this.spans = spans;
    this.shape = shapeOf(spans);
    this.bySpan = new Map(spans.map((span) => [span.spanId, span]));
    this.digest = new TraceDigest(this.shape);
    this.facets = new TraceFacetDigest(claim.workspaceId);
  }

  /** The next of its spans, in their order. */
  add(rows: readonly SpanSearchRow[]): void {
    if (rows.length === 0) return;
    this.document ??= new TraceDocument(this.builder, this.claim.traceId);
    this.digest.add(rows);
    for (const row of rows) {
      const { span, findings, facets } = row;
      this.facets.add(row, facets);
      this.document.addSpan(span.name, findings, facets);
      const outline = this.bySpan.get(span.spanId)!;
      outline.promptId = span.promptId;
      outline.workflowId = findings.workflow?.id ?? null;
    }
  }

  end(): void {
    if (!this.document) return;
    const summary = this.digest.toSummary();
    const { workspaceId, traceId } = this.claim;
    const { startNs, environment } = this.totals;
    this.row = { workspaceId, traceId, startNs, summary, ...this.facets.finish(summary, environment) };
    this.document.end(this.row, this.totals);
  }
}

interface PlacedSpan {
  trace: TraceWork;
  key: SpanKey;
  bytes: number;
  /** Whether it is the last span of its trace. */
  isLast: boolean;
}

function* placesOf(traces: TraceWork[]): Generator<PlacedSpan> {
  for (const trace of traces) {
    const { workspaceId, traceId } = trace.claim;
    for (const [index, { spanId, bytes }] of trace.spans.entries()) {
      yield { trace, key: { workspaceId, traceId, spanId }, bytes, isLast: index === trace.spans.length - 1 };
    }
  }
}

/** One trace after the other: a document is complete before the next one begins. */
async function readPiece(reader: PayloadReader, piece: PlacedSpan[]): Promise<SpanSearchRow[]> {
  const spans = await reader.read(piece.map(({ key }) => key));
  const rows: SpanSearchRow[] = [];
  for (const [trace, places] of groupBy(piece.entries(), ([, { trace }]) => trace)) {
    const own = places.flatMap(([index, { key }]) => {
      const span = spans[index];
      return span ? [rowOf(key, span)] : [];
    });
    trace.add(own);
    if (places.at(-1)![1].isLast) trace.end();
    rows.push(...own);
  }
  return rows;
}

function rowOf({ workspaceId, traceId, spanId }: SpanKey, span: SearchedSpan): SpanSearchRow {
  const findings = readFindings(span);
  return { workspaceId, traceId, spanId, span, findings, facets: spanFacetsOf(workspaceId, span, findings) };
}

async function writeSubtrees(tx: EntityManager, traces: TraceWork[]): Promise<void> {
  const spans = traces.flatMap((trace) => {
    const { workspaceId, traceId } = trace.claim;
    return [...trace.shape.subtrees()].map(([spanId, subtree]) => ({ workspaceId, traceId, spanId, subtree }));
  });
  await setSubtrees(tx, spans);
  const before = traces.filter(({ totals }) => totals.isStored);
  await clearSubtrees(
    tx,
    before.map(({ claim }) => claim),
    spans,
  );
}

function belongsTo(claims: ClaimedTrace[]): (row: { workspaceId: number; traceId: string }) => boolean {
  const keys = new Set(claims.map(({ workspaceId, traceId }) => `${workspaceId}\0${traceId}`));
  return ({ workspaceId, traceId }) => keys.has(`${workspaceId}\0${traceId}`);
}

function* batchesOf(claims: ClaimedTrace[]): Generator<ClaimedTrace[]> {
  let batch: ClaimedTrace[] = [];
  let spans = 0;
  for (const claim of claims) {
    if (batch.length > 0 && spans + claim.spanCount > BATCH.spans) {
      yield batch;
      batch = [];
      spans = 0;
    }
    batch.push(claim);
    spans += claim.spanCount;
  }
  if (batch.length > 0) yield batch;
}
