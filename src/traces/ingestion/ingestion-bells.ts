import { Injectable } from '@nestjs/common';
import { SearchBell } from '../../requests/index.js';
import { TraceSearchBell } from '../search/trace-search-bell.js';
import type { SpanOutcome } from './incoming-span.js';

/** Tells workers what became of spans, as far as it is work for them. */
@Injectable()
export class IngestionBells {
  constructor(
    private readonly logs: SearchBell,
    private readonly traces: TraceSearchBell,
  ) {}

  /** Call it after the commit. Never waits and never fails. */
  ring(outcomes: SpanOutcome[]): void {
    if (outcomes.some((outcome) => 'wroteLog' in outcome && outcome.wroteLog)) this.logs.ring();
    if (outcomes.some(({ kind }) => kind === 'stored' || kind === 'merged')) this.traces.ring();
  }
}
