import type { EntityManager } from 'typeorm';
import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import type { Step } from '../../platform/database/statement.js';
import { millisecondsBetween } from '../../platform/time.js';
import { LogStore, type NewRequestLog, type NewScore } from '../../requests/index.js';
import { factsOfSource } from '../shared/source-facts.js';
import type { IncomingSpan } from './incoming-span.js';
import type { JoinedCalls } from './nested/nested-calls.js';
import type { SpanRow, StoredSpan } from './spans.queries.js';

/** Changes to the logs of a batch. */
export interface LogsToStore {
  steps: Step[];
  /** Keys of the spans whose call is their log afterwards, whether or not it was written again. */
  spanKeys: Set<string>;
}

/** The logs of the spans that were stored or replaced. Locks those that are there already. */
export async function prepareLogs(
  tx: EntityManager,
  { rows, joined }: { rows: SpanRow[]; joined: JoinedCalls },
  stored: Map<string, StoredSpan>,
): Promise<LogsToStore> {
  const fresh: NewRequestLog[] = [];
  const existing: NewRequestLog[] = [...joined.logs];
  const scores: NewScore[] = [];
  const spanKeys = new Set<string>();
  for (const row of rows.filter(({ plan }) => plan.writesLog)) {
    const { incoming, plan, logId, promptLink } = row;
    spanKeys.add(incoming.spanKey);
    // The log is already right where neither the span nor its call changed.
    if (!stored.has(incoming.spanKey)) continue;
    const log = toRequestLog(incoming, logId!, promptLink);
    (plan.logId === null ? fresh : existing).push(log);
    scores.push(...scoreOf(incoming).map((score) => ({ ...score, logId: log.id })));
  }
  const replaced = await LogStore.replace(tx, existing);
  await LogStore.delete(tx, joined.obsolete);
  return { steps: [...LogStore.add({ logs: fresh, scores }), ...replaced], spanKeys };
}

/** The log of a span that is a call. */
export function toRequestLog<Id>(
  { span, workspaceId, cost, call, given }: IncomingSpan,
  id: Id,
  promptLink: PromptLink | null,
): Omit<NewRequestLog, 'id'> & { id: Id } {
  const { traceId, spanId, sanitized } = span;
  return {
    workspaceId,
    id,
    traceId,
    spanId,
    ...timesOf(span, given),
    price: cost,
    sanitized,
    groupId: null,
    call: call!,
    promptLink,
    ...factsOfSource(span.source),
  };
}

/** Milliseconds. The latency of a span is exact where the difference of two large numbers would not be. */
function timesOf({ startNs, endNs }: IncomingSpan['span'], given: IncomingSpan['given']) {
  const end = endNs ?? startNs;
  const startMs = given?.startMs ?? Number(startNs) / 1e6;
  const endMs = given?.endMs ?? Number(end) / 1e6;
  const isOfSpan = (given?.startMs ?? given?.endMs ?? null) === null;
  return { startMs, endMs, latencyMs: isOfSpan ? Number(end - startNs) / 1e6 : millisecondsBetween(startMs, endMs) };
}

export function scoreOf({ given, workspaceId }: IncomingSpan): Omit<NewScore, 'logId'>[] {
  return given?.score ? [{ workspaceId, name: given.score.name, score: given.score.value }] : [];
}
