import { Injectable } from '@nestjs/common';
import { WorkspaceChanges } from '../../live/index.js';
import { SearchNotifier } from '../../requests/index.js';
import { TraceSearchNotifier } from '../search/trace-search-notifier.js';
import type { SpanOutcome } from './incoming-span.js';

/** Notifies workers of spans that need work, and followers of the workspace of the number of new spans. */
@Injectable()
export class IngestionNotifier {
  constructor(
    private readonly logs: SearchNotifier,
    private readonly traces: TraceSearchNotifier,
    private readonly changes: WorkspaceChanges,
  ) {}

  /** Call it after the commit. Never waits and never fails. */
  notify(workspaceId: number, outcomes: SpanOutcome[]): void {
    let [spans, logs] = [0, 0];
    for (const outcome of outcomes) {
      if (outcome.kind !== 'stored' && outcome.kind !== 'merged') continue;
      spans++;
      if (outcome.wroteLog) logs++;
    }
    if (logs > 0) this.logs.notify();
    if (spans > 0) this.traces.notify();
    this.changes.arrive(workspaceId, 'spans', spans);
    this.changes.arrive(workspaceId, 'requests', logs);
  }
}
