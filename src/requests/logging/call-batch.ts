import type { EntityManager } from 'typeorm';
import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import type { IdBlocks } from '../../platform/database/id-blocks.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { millisecondsBetween } from '../../platform/time.js';
import { resolvePromptReferences } from '../../prompts/index.js';
import { toEnvironment } from '../../llm/records/origin.js';
import { packCall } from '../../llm/records/packed-call.js';
import type { ModelPrices } from '../pricing/model-prices.js';
import { LogStore } from '../tracking/log-store.js';
import type { NewRequestLog } from '../shared/request-logs.queries.js';
import type { CallOutcome, CallToLog, StoredCall } from './call-to-log.js';
import { groupKey, readGroups } from '../shared/groups.queries.js';

/** A log that was stored for a span. */
export interface LogOfSpan {
  workspaceId: number;
  spanId: string;
  logId: number;
}

/** Links calls to their spans, which another domain stores. */
export interface CallSpans {
  /** Existing logs of calls, in the order of the calls. Locks the spans until the end of the transaction. */
  findLogged(tx: EntityManager, calls: CallToLog[]): Promise<(number | null)[]>;
  /** Returns the logs whose spans exist. */
  link(tx: EntityManager, logs: LogOfSpan[]): Promise<LogOfSpan[]>;
}

interface Accepted {
  call: CallToLog;
  link: PromptLink | null;
  /** Index of the outcome. */
  at: number;
}

/** Dependencies of storing calls. */
export interface CallContext {
  ids: IdBlocks;
  prices: ModelPrices;
  spans: CallSpans | null;
}

/** Stores calls of one workspace, with a few statements for all of them. One outcome per call, in order. */
export async function storeCalls(tx: EntityManager, calls: CallToLog[], context: CallContext): Promise<CallOutcome[]> {
  const { spans } = context;
  const outcomes: CallOutcome[] = [];
  const known = await findKnown(tx, calls, spans);
  const groups = await readGroups(tx, calls.flatMap(inGroup));
  const links = await linkPrompts(tx, calls);
  const accepted: Accepted[] = [];
  calls.forEach((call, at) => {
    const refusal = known[at] ?? refusalOf(call, groups, links[at]);
    if (refusal) outcomes[at] = refusal;
    else accepted.push({ call, link: links[at], at });
  });
  const stored = await insert(tx, accepted, context);
  stored.forEach((outcome, index) => (outcomes[accepted[index].at] = outcome));
  const linked = spans ? await spans.link(tx, toSpanLinks(accepted, stored)) : [];
  const ids = new Set(linked.map(({ logId }) => logId));
  for (const outcome of stored) outcome.foundSpan = ids.has(outcome.id);
  return outcomes;
}

async function findKnown(
  tx: EntityManager,
  calls: CallToLog[],
  spans: CallSpans | null,
): Promise<(CallOutcome | null)[]> {
  const inSpans = spans ? calls.filter(({ spanId }) => spanId !== null) : [];
  if (!spans || inSpans.length === 0) return calls.map(() => null);
  const found = await spans.findLogged(tx, inSpans);
  const ids = new Map(inSpans.map((call, index) => [call, found[index]]));
  return calls.map((call) => {
    const id = ids.get(call) ?? null;
    return id === null ? null : { kind: 'known', id };
  });
}

function inGroup({ workspaceId, groupId }: CallToLog): { workspaceId: number; groupId: number }[] {
  return groupId === null ? [] : [{ workspaceId, groupId }];
}

/** Few calls name a prompt, so this usually needs no statement. */
async function linkPrompts(tx: EntityManager, calls: CallToLog[]): Promise<(PromptLink | null)[]> {
  const naming = calls.flatMap(({ workspaceId, call }) => (call.prompt ? [{ workspaceId, ...call.prompt }] : []));
  const found = naming.length === 0 ? [] : await resolvePromptReferences(tx, naming);
  let next = 0;
  return calls.map(({ call }) => (call.prompt ? found[next++] : null));
}

function refusalOf(call: CallToLog, groups: Set<string>, link: PromptLink | null): CallOutcome | null {
  if (inGroup(call).some((member) => !groups.has(groupKey(member)))) return { kind: 'group_missing' };
  return call.needsPrompt && call.call.prompt !== null && !link ? { kind: 'prompt_missing' } : null;
}

async function insert(tx: EntityManager, accepted: Accepted[], { ids, prices }: CallContext): Promise<StoredCall[]> {
  if (accepted.length === 0) return [];
  const logIds = await ids.take(tx, accepted.length);
  const logs = accepted.map(({ call, link }, index) => {
    const price = prices.costOf(call.workspaceId, call.call, call.startMs);
    return toRequestLog(call, { id: logIds[index], link, price });
  });
  await sendTogether(tx, LogStore.add({ logs, scores: toScores(accepted, logIds) }));
  const createdAt = new Date();
  return logs.map(({ id, price, promptLink }) => ({
    kind: 'stored',
    id,
    price,
    promptLink,
    createdAt,
    foundSpan: false,
  }));
}

function toRequestLog(
  { workspaceId, call, startMs, endMs, sanitized, groupId, spanId }: CallToLog,
  { id, link, price }: { id: number; link: PromptLink | null; price: number | null },
): NewRequestLog {
  return {
    workspaceId,
    id,
    traceId: null,
    spanId,
    startMs,
    endMs,
    latencyMs: millisecondsBetween(startMs, endMs),
    price,
    sanitized,
    groupId,
    promptLink: link,
    call: packCall(call),
    origin: 'application',
    environment: toEnvironment(call.metadata.environment),
  };
}

function toScores(accepted: Accepted[], logIds: number[]) {
  return accepted.flatMap(({ call: { workspaceId, score } }, index) =>
    score ? [{ workspaceId, logId: logIds[index], name: score.name, score: score.value }] : [],
  );
}

function toSpanLinks(accepted: Accepted[], stored: StoredCall[]): LogOfSpan[] {
  return accepted.flatMap(({ call: { workspaceId, spanId } }, index) =>
    spanId === null ? [] : [{ workspaceId, spanId, logId: stored[index].id }],
  );
}
