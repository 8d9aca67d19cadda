import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isConnectionFailure } from '../../platform/database/failures.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import type { Claim, Standing, Turn, WorkControl, WorkKind } from '../../platform/work/work-kind.js';
import { Vocabulary } from '../../requests/index.js';
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
import { readOutlines, readPayloads, type SpanKey, type SpanOutline } from './spans-to-search.queries.js';
import { TraceDigest } from './trace-digest.js';
import {
  claimDueTraces,
  type ClaimedTrace,
  holdClaims,
  releaseClaims,
  removeFromQueue,
  renewClaims,
} from './trace-queue.queries.js';
import { byStart, type ShapeSpan, shapeOf, type TraceShape } from './trace-shape.js';

/** Spans of one statement: few enough that their payloads fit into memory several times. A larger span goes alone. */
const PIECE = { spans: 500, bytes: 4 * 1024 * 1024 };
/** Traces that a worker claims at once. */
const CLAIMED_AT_ONCE = 50;
/** Small traces are read together. */
const BATCH_SPANS = 1000;
/** A trace that cannot be read is tried again after this long. */
const RETRY_MS = 60_000;

/** Traces that were claimed together. Each has a claim of its own, so whoever claims one of them leaves the others here. */
export interface ClaimedTraces extends Claim {
  traces: ClaimedTrace[];
}

/** Null when there are none. Attempts are not counted: a trace that cannot be read waits, and the others go on. */
export function together(traces: ClaimedTrace[]): ClaimedTraces | null {
  const [first] = traces;
  return first ? { workspaceId: first.workspaceId, claim: first.claim, attempts: 0, traces } : null;
}

/** Works out what traces are searched by, and writes it. */
@Injectable()
export class TraceProjector implements WorkKind<ClaimedTraces> {
  readonly name = 'trace_search';
  private readonly log = new Logger(TraceProjector.name);

  constructor(
    private readonly db: DataSource,
    private readonly vocabulary: Vocabulary,
  ) {}

  async claim(_turn: Turn, leaseMs: number): Promise<ClaimedTraces | null> {
    return together(await claimDueTraces(this.db.manager, leaseMs, CLAIMED_AT_ONCE));
  }

  /** Brings the search rows of claimed traces up to date. What others claim meanwhile is left to them. */
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

  /** Only a database that is away gets here: the leases end, and the traces are claimed again. */
  fail(_claim: ClaimedTraces, error: unknown): Promise<void> {
    return Promise.reject(error as Error);
  }

  private async projectOrRelease(batch: ClaimedTrace[]): Promise<void> {
    try {
      await this.projectBatch(batch);
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      if (batch.length > 1) return this.project1by1(batch);
      this.log.error(`Trace ${batch[0]!.traceId} could not be made searchable: ${String(error)}`);
      await releaseClaims(this.db.manager, batch, RETRY_MS);
    }
  }

  private async project1by1(batch: ClaimedTrace[]): Promise<void> {
    for (const claim of batch) await this.projectOrRelease([claim]);
  }

  private async projectBatch(batch: ClaimedTrace[]): Promise<void> {
    const outlines = await readOutlines(this.db.manager, batch);
    const traces = batch.map((claim, index) => new TraceWork(claim, outlines[index]!));
    for (const piece of piecesOf(traces)) {
      const rows = await this.readPiece(piece);
      const going = await this.write(batch, (tx, held) => upsertSpanSearch(tx, rows.filter(belongsTo(held))));
      if (going.length === 0) return;
    }
    await this.finish(
      batch,
      traces.filter((trace) => trace.spans.length > 0),
    );
  }

  private async readPiece(piece: PieceSpan[]): Promise<SpanSearchRow[]> {
    const spans = await readPayloads(
      this.db.manager,
      piece.map(({ key }) => key),
    );
    return spans.flatMap((span, index) => {
      const { trace, key } = piece[index]!;
      if (!span) return [];
      const findings = readFindings(span);
      const facets = spanFacetsOf(key.workspaceId, span, findings);
      trace.add(span, findings, facets);
      const { workspaceId, traceId, spanId } = key;
      return [{ workspaceId, traceId, spanId, span, findings, facets }];
    });
  }

  private async finish(batch: ClaimedTrace[], traces: TraceWork[]): Promise<void> {
    const summaries = traces.map((trace): TraceSearchRow => ({ ...trace.claim, summary: trace.toSummary() }));
    await this.keepWords(summaries);
    let removed = new Set<string>();
    const held = await this.write(batch, async (tx, current) => {
      const isHeld = belongsTo(current);
      await writeSubtrees(
        tx,
        traces.filter(({ claim }) => isHeld(claim)),
      );
      await upsertTraceSearch(tx, summaries.filter(isHeld));
      removed = await removeFromQueue(tx, current);
    });
    await releaseClaims(
      this.db.manager,
      held.filter(({ claim }) => !removed.has(claim)),
    );
  }

  private async keepWords(traces: TraceSearchRow[]): Promise<void> {
    const gathered = this.vocabulary.gather();
    for (const { workspaceId, summary } of traces) {
      gathered.add({ workspaceId, words: summary.words.words, atMs: Number(summary.lastNs / 1_000_000n) });
    }
    await this.vocabulary.keep(gathered);
  }

  /** Writes while nobody else can, what still may be written; gives the claims that held. */
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

/** A trace on its way into search. */
class TraceWork {
  /** In the order of `byStart`. */
  readonly spans: (SpanOutline & ShapeSpan)[];
  readonly bySpan: Map<string, ShapeSpan>;
  private digest: TraceDigest | null = null;

  constructor(
    readonly claim: ClaimedTrace,
    outlines: SpanOutline[],
  ) {
    this.spans = outlines
      .map(({ spanId, parentId, startNs, bytes }) => {
        return { spanId, parentId, startNs, bytes, promptId: null, workflowId: null };
      })
      .sort(byStart);
    this.bySpan = new Map(this.spans.map((span) => [span.spanId, span]));
  }

  add(...[span, findings, facets]: Parameters<TraceDigest['add']>): void {
    const outline = this.bySpan.get(span.spanId)!;
    outline.promptId = span.promptId;
    outline.workflowId = findings.workflow?.id ?? null;
    this.digest ??= new TraceDigest(this.claim.workspaceId, this.shape());
    this.digest.add(span, findings, facets);
  }

  /** Prompts and workflows below a span are known when all spans have been added. */
  shape(): TraceShape {
    return shapeOf(this.spans);
  }

  toSummary() {
    this.digest ??= new TraceDigest(this.claim.workspaceId, this.shape());
    return this.digest.toSummary();
  }
}

interface PieceSpan {
  trace: TraceWork;
  key: SpanKey;
}

async function writeSubtrees(tx: EntityManager, traces: TraceWork[]): Promise<void> {
  const spans = traces.flatMap((trace) => {
    const { workspaceId, traceId } = trace.claim;
    return [...trace.shape().subtrees].map(([spanId, subtree]) => ({ workspaceId, traceId, spanId, subtree }));
  });
  await setSubtrees(tx, spans);
  await clearSubtrees(
    tx,
    traces.map(({ claim }) => claim),
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
    if (batch.length > 0 && spans + claim.spanCount > BATCH_SPANS) {
      yield batch;
      batch = [];
      spans = 0;
    }
    batch.push(claim);
    spans += claim.spanCount;
  }
  if (batch.length > 0) yield batch;
}

/** The spans of the traces in order, some at a time. */
function* piecesOf(traces: TraceWork[]): Generator<PieceSpan[]> {
  let piece: PieceSpan[] = [];
  let bytes = 0;
  for (const trace of traces) {
    const { workspaceId, traceId } = trace.claim;
    for (const span of trace.spans) {
      if (piece.length > 0 && (piece.length >= PIECE.spans || bytes + span.bytes > PIECE.bytes)) {
        yield piece;
        piece = [];
        bytes = 0;
      }
      piece.push({ trace, key: { workspaceId, traceId, spanId: span.spanId } });
      bytes += span.bytes;
    }
  }
  if (piece.length > 0) yield piece;
}
