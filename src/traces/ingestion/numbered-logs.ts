import type { ClaimedLog } from './log-plan.js';
import type { EntityManager } from 'typeorm';
import { sendTogether } from '../../platform/database/send-together.js';
import { LogStore, type StoredLog } from '../../requests/index.js';
import { completeNumbers, numbersOf } from './call-numbers.js';
import type { CallNumbers, IncomingSpan } from './incoming-span.js';
import type { ShownOfLog } from './log-plan.js';

/**
 * Completes logs that were reported without numbers for spans of a batch by the numbers of the spans. Returns the logs
 * that must be written again, and updates what is known of them.
 */
export async function numberClaimed(tx: EntityManager, claimed: Map<IncomingSpan, ClaimedLog>): Promise<StoredLog[]> {
  const lacking = [...claimed].filter(([span, log]) => lacksNumbers(log) && numbersOf(span) !== null);
  if (lacking.length === 0) return [];
  const keys = lacking.map(([{ workspaceId }, { logId }]) => ({ workspaceId, id: logId }));
  const stored = await LogStore.read(tx, [
    ...new Map(keys.map((key) => [`${key.workspaceId}:${key.id}`, key])).values(),
  ]);
  return stored.flatMap((log) => {
    const own = lacking.filter(([span, { logId }]) => span.workspaceId === log.workspaceId && logId === log.id);
    const numbered = numberLog(
      log,
      byNearness(
        log,
        own.map(([span]) => span),
      ).map((span) => numbersOf(span)!),
    );
    if (!numbered) return [];
    for (const [, claim] of own) Object.assign(claim, shownOf(numbered));
    return [numbered];
  });
}

/** Completes a log that was just stored, in its transaction. */
export async function numberStored(
  tx: EntityManager,
  { workspaceId, logId }: { workspaceId: number; logId: number },
  readSpans: () => Promise<IncomingSpan[]>,
): Promise<void> {
  const [log] = await LogStore.read(tx, [{ workspaceId, id: logId }]);
  if (!log || !lacksNumbers(shownOf(log))) return;
  const told = byNearness(log, await readSpans()).flatMap((span) => numbersOf(span) ?? []);
  const numbered = numberLog(log, told);
  if (!numbered) return;
  await sendTogether(tx, await LogStore.replace(tx, [numbered]));
}

/**
 * The span for which the log was reported comes first, then the latest of those it manages: earlier ones were failed
 * attempts.
 */
function byNearness({ spanId }: StoredLog, spans: IncomingSpan[]): IncomingSpan[] {
  const isOwn = ({ span }: IncomingSpan) => span.spanId === spanId;
  return spans.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a.span.startNs > b.span.startNs ? -1 : 1));
}

/** Null when none of the spans has the numbers that the log lacks. */
function numberLog(log: StoredLog, told: CallNumbers[]): StoredLog | null {
  const own = { ...log.call, cost: log.price };
  const numbers = told.map((each) => completeNumbers(own, each)).find((each) => each !== null);
  if (!numbers) return null;
  const { cost, ...ofCall } = numbers;
  return { ...log, price: cost, call: { ...log.call, ...ofCall } };
}

const lacksNumbers = ({ inputTokens: input, outputTokens: output, cost }: ShownOfLog): boolean =>
  cost === null || !(input || output);

function shownOf({ price, call: { provider, model, usage } }: StoredLog): ShownOfLog {
  const known = (name: string) => (name === 'unknown' ? null : name);
  return {
    provider: known(provider),
    model: known(model),
    inputTokens: usage.input,
    outputTokens: usage.output,
    cost: price,
  };
}
