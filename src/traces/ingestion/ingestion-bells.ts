import { Injectable } from '@nestjs/common';
import { WorkspaceChanges } from '../../live/index.js';
import { SearchBell } from '../../requests/index.js';
import { TraceSearchBell } from '../search/trace-search-bell.js';
import type { SpanOutcome } from './incoming-span.js';

/** Tells workers what became of spans, as far as it is work for them, and followers of the workspace how many have come. */
@Injectable()
export class IngestionBells {
  constructor(
    private readonly logs: SearchBell,
    private readonly traces: TraceSearchBell,
    private readonly changes: WorkspaceChanges,
  ) {}

  /** Call it after the commit. Never waits and never fails. */
  ring(workspaceId: number, outcomes: SpanOutcome[]): void {
    let [spans, logs] = [0, 0];
    for (const outcome of outcomes) {
      if (outcome.kind !== 'stored' && outcome.kind !== 'merged') continue;
      spans++;
      if (outcome.wroteLog) logs++;
    }
    if (logs > 0) this.logs.ring();
    if (spans > 0) this.traces.ring();
    this.changes.arrive(workspaceId, 'spans', spans);
    this.changes.arrive(workspaceId, 'requests', logs);
  }
}
