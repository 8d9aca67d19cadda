import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LargeReads } from '../../platform/database/large-reads.js';
import type { TurnOwner } from '../../platform/turns.js';
import { PIECE, piecesOf } from '../shared/span-pieces.js';
import { readListedFindings } from './span-findings.js';
import { PayloadReader, readOutlines } from './spans-to-search.queries.js';
import { TraceDigest, type TraceSummary } from './trace-digest.js';
import { shapeOf } from './trace-shape.js';

/**
 * Computes the facts that lists show of a trace from its current spans. A worker stores the same facts later. A reader
 * of one trace waits neither for the worker nor for the index, and writes nothing.
 */
@Injectable()
export class TraceSummaries {
  constructor(
    private readonly db: DataSource,
    private readonly large: LargeReads,
  ) {}

  /** Null when the workspace has no span of it. */
  async read(owner: TurnOwner, traceId: string): Promise<TraceSummary | null> {
    const { workspaceId } = owner;
    const db = this.db.manager;
    const [spans = []] = await readOutlines(db, workspaceId, [traceId]);
    if (spans.length === 0) return null;
    const digest = new TraceDigest(shapeOf(spans));
    const reader = new PayloadReader(db, workspaceId);
    for (const piece of piecesOf(spans, PIECE)) {
      const keys = piece.map(({ spanId }) => ({ workspaceId, traceId, spanId }));
      const bytes = piece.reduce((sum, span) => sum + span.bytes, 0);
      for await (const read of this.large.take(owner, bytes, () => reader.read(keys))) {
        digest.add(read.flatMap((span) => (span ? [{ span, findings: readListedFindings(span) }] : [])));
      }
    }
    return digest.toSummary();
  }
}
