import type { EntityManager } from 'typeorm';
import type { IncomingSpan } from './incoming-span.js';
import { claimLogs } from './links.queries.js';
import { numberClaimed } from './numbered-logs.js';
import { type JoinedCalls, joinNestedCalls, type PlannedSpan } from './nested/nested-calls.js';
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
  ): Promise<{ rows: SpanRow[]; joined: JoinedCalls; remember: () => void }> {
    const remember = await this.sources.store(tx, spans);
    const claimed = await claimLogs(tx, spans);
    const numbered = await numberClaimed(tx, claimed);
    const links = await linkPrompts(tx, spans);
    const planned = spans.map((incoming): PlannedSpan => {
      const [stored, promptLink] = [found.get(incoming.spanKey), links.get(incoming) ?? null];
      const known = { claimed: claimed.get(incoming), prompt: promptLink ?? undefined, stored };
      return { incoming, stored, promptLink, plan: planLog(incoming, known) };
    });
    const joined = await joinNestedCalls(tx, planned, numbered);
    return { rows: await this.withIds(tx, planned), joined, remember };
  }

  private async withIds(tx: EntityManager, planned: PlannedSpan[]): Promise<SpanRow[]> {
    const ids = await this.ids.ofSpans.take(tx, planned.length);
    const logIds = await this.ids.ofLogs.take(tx, planned.filter(({ plan }) => makesLog(plan)).length);
    return planned.map(({ incoming, plan, promptLink }, index) => {
      const logId = makesLog(plan) ? logIds.pop()! : plan.logId;
      if (plan.sharedAs) plan.sharedAs.logId = logId;
      const sourceHash = this.sources.hashOf(incoming.span.source);
      return { incoming, plan, id: ids[index]!, logId, sourceHash, promptLink };
    });
  }
}

const makesLog = ({ writesLog, logId }: LogPlan): boolean => writesLog && logId === null;
