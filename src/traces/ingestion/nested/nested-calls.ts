import type { TraceKey } from '../incoming-span.js';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { PromptLink } from '../../../llm/shared/prompt-reference.js';
import { LogStore, type NewRequestLog, type StoredLog } from '../../../requests/index.js';
import { completeNumbers } from '../call-numbers.js';
import { type IncomingSpan, LOG_LINKS, spanKeyOf, traceKeyOf } from '../incoming-span.js';
import type { LogPlan, SharedLog, SpanLog } from '../log-plan.js';
import { type CallNode, outerFirst, sameCalls } from './call-tree.js';
import {
  type CallPlace,
  findInside,
  findRelated,
  type LogMove,
  placeOf,
  type StoredCall,
} from './nested-calls.queries.js';
import { comparedCall, type ComparedCall, compareRecords, completed } from './same-call.js';

/** A span of a batch with the plan for its log. */
export interface PlannedSpan {
  incoming: IncomingSpan;
  plan: LogPlan;
  /** Its log before this batch. */
  stored: SpanLog | undefined;
  /** The version of a prompt that its call is one of. */
  promptLink: PromptLink | null;
}

/** Further changes, because calls of a batch and stored calls turned out to be the same. */
export interface JoinedCalls {
  moves: LogMove[];
  /** Logs that are written again. */
  logs: NewRequestLog[];
  /** Logs whose call has another log now. */
  obsolete: Pick<NewRequestLog, 'workspaceId' | 'id'>[];
}

interface Node extends CallNode {
  trace: TraceKey;
  planned: PlannedSpan | null;
  log: StoredLog | null;
  /** Whether it has had the log of its unit until now. */
  ownsLog: boolean;
}

/**
 * Finds calls that are the same: two instrumentations of one call create one span each. The call gets one log: the
 * better record, completed by facts that only the others have. The other spans repeat this log, and neither count nor
 * cost anything. Changes the plans of the spans.
 * @param changed stored logs that are written again anyway
 */
export async function joinNestedCalls(
  tx: EntityManager,
  spans: PlannedSpan[],
  changed: StoredLog[],
): Promise<JoinedCalls> {
  const calls = spans.filter((span) => span.plan.writesLog || hasReportedLog(span));
  const stored = calls.length > 0 ? await findStored(tx, calls) : [];
  if (stored.length === 0 && !anyRelated(calls)) return { moves: [], logs: changed, obsolete: [] };
  const joined: JoinedCalls = { moves: [], logs: [], obsolete: [] };
  const nodes = await nodesOf(tx, { calls, stored, changed });
  for (const group of groupsOf(nodes)) joinGroup(outerFirst(group), joined);
  const written = new Set(joined.logs.map(unitOfLog));
  joined.logs.push(...changed.filter((log) => !written.has(unitOfLog(log))));
  return joined;
}

/** Its log is stored, and was reported for it. */
const hasReportedLog = ({ plan }: PlannedSpan): boolean =>
  !plan.writesLog && plan.logId !== null && plan.logLink === LOG_LINKS.GIVEN;

function anyRelated(calls: PlannedSpan[]): boolean {
  const responses = calls.flatMap(({ incoming }) => responseKeyOf(incoming.traceKey, incoming.responseId) ?? []);
  if (new Set(responses).size < responses.length) return true;
  const keys = new Set(calls.map(({ incoming }) => incoming.spanKey));
  return calls.some(({ incoming }) => keys.has(parentKeyOf(incoming.traceKey, incoming.span.parentId) ?? ''));
}

const parentKeyOf = (traceKey: string, parentId: string | null): string | null =>
  parentId === null ? null : spanKeyOf(traceKey, parentId);

const responseKeyOf = (traceKey: string, responseId: string | null): string | null =>
  responseId === null ? null : spanKeyOf(traceKey, responseId);

const keyOf = ({ workspaceId, traceId, spanId }: CallPlace): string =>
  spanKeyOf(traceKeyOf(workspaceId, traceId), spanId);

/** Stored calls that may be the same as these, and what else is inside those around them. */
async function findStored(tx: EntityManager, calls: PlannedSpan[]): Promise<StoredCall[]> {
  const related = await findRelated(
    tx,
    calls.map(({ incoming }) => placeOf(incoming)),
  );
  const parents = new Set(calls.map(({ incoming }) => parentKeyOf(incoming.traceKey, incoming.span.parentId)));
  const inside = await findInside(
    tx,
    related.filter((call) => parents.has(keyOf(call))),
  );
  return [...new Map([...related, ...inside].map((call) => [keyOf(call), call])).values()];
}

async function nodesOf(
  tx: EntityManager,
  { calls, stored, changed }: { calls: PlannedSpan[]; stored: StoredCall[]; changed: StoredLog[] },
): Promise<Node[]> {
  const coming = new Set(calls.map(({ incoming }) => incoming.spanKey));
  const others = stored.filter((call) => !coming.has(keyOf(call)));
  const keys = new Map<string, { workspaceId: number; id: number }>();
  const note = (workspaceId: number, id: number | null) => {
    if (id !== null) keys.set(unitOf(workspaceId, id), { workspaceId, id });
  };
  for (const call of calls) note(call.incoming.workspaceId, logIdOf(call));
  for (const { workspaceId, logId } of others) note(workspaceId, logId);
  const read = await LogStore.read(tx, [...keys.values()]);
  const logs = new Map([...read, ...changed].map((log) => [unitOfLog(log), log]));
  return [
    ...calls.flatMap((call) => incomingNode(call, logs)),
    ...others.flatMap((call) => storedNode(call, logs.get(unitOf(call.workspaceId, call.logId)))),
  ];
}

const unitOf = (workspaceId: number, logId: number): string => `${workspaceId}:${logId}`;
const unitOfLog = ({ workspaceId, id }: Pick<NewRequestLog, 'workspaceId' | 'id'>): string => unitOf(workspaceId, id);

/** The log that the span has had, or has repeated. */
const logIdOf = ({ plan, stored }: PlannedSpan): number | null => plan.logId ?? stored?.repeatsLogId ?? null;

function incomingNode(planned: PlannedSpan, logs: Map<string, StoredLog>): Node[] {
  const { incoming, plan } = planned;
  const { workspaceId, span, traceKey, spanKey, responseId, call, cost } = incoming;
  const logId = logIdOf(planned);
  const log = logId === null ? null : (logs.get(unitOf(workspaceId, logId)) ?? null);
  const isReported = hasReportedLog(planned);
  const told = isReported ? log && { call: log.call, cost: log.price } : { call: call!, cost };
  if (!told) return [];
  return [
    {
      key: spanKey,
      parentKey: parentKeyOf(traceKey, span.parentId),
      spanId: span.spanId,
      startNs: span.startNs,
      endNs: span.endNs ?? span.startNs,
      responseKey: responseKeyOf(traceKey, responseId),
      unit: log ? unitOf(workspaceId, log.id) : spanKey,
      isGiven: isReported || incoming.given !== null,
      record: comparedCall(told.call, told.cost),
      trace: { workspaceId, traceId: span.traceId },
      planned,
      log,
      ownsLog: plan.logId !== null,
    },
  ];
}

function storedNode(call: StoredCall, log: StoredLog | undefined): Node[] {
  if (!log) return [];
  const { workspaceId, traceId, spanId, parentId, startNs, endNs, responseId, logLink, ownsLog } = call;
  const traceKey = traceKeyOf(workspaceId, traceId);
  return [
    {
      key: keyOf(call),
      parentKey: parentKeyOf(traceKey, parentId),
      spanId,
      startNs,
      endNs,
      responseKey: responseKeyOf(traceKey, responseId),
      unit: unitOf(workspaceId, log.id),
      isGiven: ownsLog && logLink !== LOG_LINKS.MADE_FROM_SPAN,
      record: comparedCall(log.call, log.price),
      trace: { workspaceId, traceId },
      planned: null,
      log,
      ownsLog,
    },
  ];
}

/** The spans of each call that has several spans, where one of them is in the batch. */
function groupsOf(nodes: Node[]): Node[][] {
  const groups = new Map<string, Node[]>();
  const joined = sameCalls(nodes);
  for (const node of nodes) {
    const units = joined.find((group) => group.has(node.unit));
    const name = units ? [...units][0]! : node.unit;
    groups.set(name, [...(groups.get(name) ?? []), node]);
  }
  return [...groups.values()].filter(
    (group) =>
      group.some(({ planned }) => planned !== null) &&
      (group.length > 1 || group[0]!.planned!.stored?.repeatsLogId != null),
  );
}

/** One log for a group of spans, outer ones first. */
function joinGroup(found: Node[], joined: JoinedCalls): void {
  const best = bestOf(recordsOf(found));
  // A log that was reported is never replaced by another one.
  const group = found.filter((node) => !node.isGiven || node.unit === best.unit);
  const logs = [...new Set(group.flatMap(({ log }) => log ?? []))];
  const kept = logs.length > 0 ? logToKeep(logs, best) : null;
  const records = recordsOf(group);
  const record = best.isGiven ? numberedBy(best, records) : completedBy(best, records, logs);
  const shared: SharedLog = { logId: kept?.id ?? null };
  for (const { planned } of group) if (planned && planned !== best.planned) repeat(planned, shared);
  if (best.planned) show(best.planned.incoming, record);
  if (best.planned?.plan.writesLog) write(best.planned, record, { shared, group });
  else joined.logs.push(...changedLog(best.log!, record, kept!));
  const owner = { ...best.trace, ownerId: best.spanId, cost: record.cost };
  joined.moves.push(...logs.map((log) => ({ ...owner, fromLogId: log.id, toLogId: kept!.id })));
  joined.obsolete.push(...logs.filter((log) => log !== kept));
}

/**
 * The records in the same order. Of several spans that share a log, its owner represents it, unless the owner itself is
 * in the batch.
 */
function recordsOf(group: Node[]): Node[] {
  const anew = new Set(group.flatMap(({ planned, ownsLog, log }) => (planned && ownsLog && log ? [log] : [])));
  const ownerOf = (log: StoredLog): Node => {
    const sharing = group.filter((node) => node.planned === null && node.log === log);
    return sharing.find(({ spanId }) => spanId === log.spanId) ?? sharing[0]!;
  };
  return group
    .filter((node) => node.planned !== null || (!anew.has(node.log!) && ownerOf(node.log!) === node))
    .map((node) => (node.planned ? node : { ...node, spanId: node.log!.spanId ?? node.spanId }));
}

function bestOf(records: Node[]): Node {
  const given = records.find(({ isGiven }) => isGiven);
  return given ?? records.reduce((best, next) => (compareRecords(best.record, next.record) < 0 ? best : next));
}

/** A log with additions of a client must keep its id, so that the client finds it again. */
function logToKeep(logs: StoredLog[], { isGiven, log }: Node): StoredLog {
  if (isGiven && log) return log;
  const [first] = [...logs].sort((a, b) => Number(b.hasAdditions) - Number(a.hasAdditions) || a.id - b.id);
  return first!;
}

/** The best record, completed by the other spans and by the stored logs. */
function completedBy(best: Node, records: Node[], logs: StoredLog[]): ComparedCall {
  const others = records.filter((node) => node !== best).map(({ record }) => record);
  const before = logs.map(({ call, price }) => comparedCall(call, price));
  return [...others, ...before].reduce(completed, best.record);
}

/** A log that was reported without numbers takes those of the first other span that has them, and nothing else. */
function numberedBy({ record }: Node, records: Node[]): ComparedCall {
  const own = { ...record.call, cost: record.cost };
  const told = records.map((node) => completeNumbers(own, { ...node.record.call, cost: node.record.cost }));
  const numbers = told.find((each) => each !== null);
  if (!numbers) return record;
  const { cost, ...ofCall } = numbers;
  return { ...record, cost, call: { ...record.call, ...ofCall } };
}

function repeat(planned: PlannedSpan, shared: SharedLog): void {
  planned.plan = { writesLog: false, logId: null, logLink: LOG_LINKS.MADE_FROM_SPAN, repeats: shared };
  planned.incoming.cost = null;
}

function show(incoming: IncomingSpan, { call: { provider, model, usage }, cost }: ComparedCall): void {
  const { facts } = incoming;
  facts.provider = provider === 'unknown' ? facts.provider : provider;
  facts.model = model === 'unknown' ? facts.model : model;
  facts.inputTokens = usage.input;
  facts.outputTokens = usage.output;
  incoming.cost = cost;
}

function write(
  best: PlannedSpan,
  { call }: ComparedCall,
  { shared, group }: { shared: SharedLog; group: Node[] },
): void {
  const { incoming, plan } = best;
  plan.logId = shared.logId;
  plan.sharedAs = shared;
  incoming.call = call;
  incoming.facts.prompt = call.prompt;
  const links = group.map(({ planned }) => planned?.promptLink ?? null);
  best.promptLink ??= links.find((link) => link !== null) ?? null;
}

/** A stored log that the spans of a batch complete, or whose call is kept under another id from now on. */
function changedLog(log: StoredLog, { call, cost }: ComparedCall, kept: StoredLog): NewRequestLog[] {
  const isSame = log === kept && cost === log.price && isDeepStrictEqual(call, log.call);
  return isSame ? [] : [{ ...log, id: kept.id, groupId: kept.groupId, call, price: cost }];
}
