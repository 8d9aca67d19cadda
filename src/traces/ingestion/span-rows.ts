import type { EntityManager } from 'typeorm';
import type { IncomingSpan } from './incoming-span.js';
import { claimLogs } from './links.queries.js';
import { type LogPlan, planLog, type SpanLog } from './log-plan.js';
import { linkPrompts } from './prompt-links.js';
import type { SpanIds } from './span-ids.js';
import type { SpanSources } from './span-sources.js';
import type { SpanRow } from './spans.queries.js';

/** Completes spans to rows, with their logs, prompts, sources and ids. */
export class SpanRows {
  constructor(
    private readonly sources: SpanSources,
    private readonly ids: SpanIds,
  ) {}

  /** Spans of locked traces, sorted; `found` are those that are there, by key. Call `remember` after the commit. */
  async of(
    tx: EntityManager,
    spans: IncomingSpan[],
    found: Map<string, SpanLog>,
  ): Promise<{ rows: SpanRow[]; remember: () => void }> {
    const remember = await this.sources.store(tx, spans);
    const claimed = await claimLogs(tx, spans);
    const links = await linkPrompts(tx, spans);
    const plans = spans.map((span) =>
      planLog(span, { claimed: claimed.get(span), prompt: links.get(span), stored: found.get(span.spanKey) }),
    );
    const ids = await this.ids.ofSpans.take(tx, spans.length);
    const logIds = await this.ids.ofLogs.take(tx, plans.filter(makesLog).length);
    const rows = spans.map((incoming, index) => {
      const plan = plans[index]!;
      const logId = makesLog(plan) ? logIds.pop()! : plan.logId;
      const sourceHash = this.sources.hashOf(incoming.span.source);
      return { incoming, plan, id: ids[index]!, logId, sourceHash, promptLink: links.get(incoming) ?? null };
    });
    return { rows, remember };
  }
}

const makesLog = ({ writesLog, logId }: LogPlan): boolean => writesLog && logId === null;
