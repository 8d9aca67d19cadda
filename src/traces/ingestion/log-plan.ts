import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import { type IncomingSpan, LOG_LINKS, type LogLink } from './incoming-span.js';

/** A log that was reported for a span by the id of the span. */
export interface ClaimedLog extends ShownOfLog {
  logId: number;
}

/** The request log of a span, as far as it is known before the span is stored. */
export interface LogPlan {
  /** The span's own call is stored: under `logId`, or as a new log. */
  writesLog: boolean;
  /** A log that exists already. */
  logId: number | null;
  logLink: LogLink;
  /** The log of another span that is the same call. */
  repeats?: SharedLog;
  /** Set when other spans repeat the log that is written. */
  sharedAs?: SharedLog;
}

/** A log of a call that is several spans. */
export interface SharedLog {
  /** null until a new one has its id. */
  logId: number | null;
}

/** The request log of a stored span, if it has one, and the values that the span shows from it. */
export interface SpanLog extends ShownOfLog {
  logId: number | null;
  logLink: LogLink;
  /** The log of another span that is the same call. */
  repeatsLogId?: number | null;
}

/** Values that a span shows from its log. */
export interface ShownOfLog {
  /** null when the log has none. */
  provider: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** US dollars. */
  cost: number | null;
}

/** Known facts about a span that are not in its content. */
interface Known {
  /** The log that was reported for it by its id. */
  claimed?: ClaimedLog | undefined;
  /** The version of a prompt that it names. */
  prompt?: PromptLink | undefined;
  /** Its log before this batch. */
  stored?: SpanLog | undefined;
}

const NO_LOG: LogPlan = { writesLog: false, logId: null, logLink: LOG_LINKS.MADE_FROM_SPAN };
const NEW_SPAN: Known = {};

/**
 * A log that was reported for the span by its id comes first, then the call of the span itself. A span keeps the log it has
 * unless a better one comes, and shows the model and the numbers of the log that it has afterwards.
 */
export function planLog(span: IncomingSpan, { claimed, prompt, stored }: Known = NEW_SPAN): LogPlan {
  const plan = planAsNew(span, claimed, prompt);
  if (stored && keepsLog(stored, plan)) {
    showLog(span, stored);
    return { writesLog: false, logId: stored.logId, logLink: stored.logLink };
  }
  // The span that the log was reported for shows it and counts its numbers.
  if (claimed && plan.logId !== null && plan.logLink === LOG_LINKS.GIVEN) showLog(span, claimed);
  if (stored && plan.writesLog) return { ...plan, logId: stored.logId };
  return plan.logId === null ? stillRepeating(span, stored, plan) : plan;
}

/** A span that was sent again with less content is still the same call as another one. */
function stillRepeating(span: IncomingSpan, stored: SpanLog | undefined, plan: LogPlan): LogPlan {
  const logId = stored?.repeatsLogId ?? null;
  if (plan.writesLog || logId === null) return plan;
  span.cost = null;
  return { ...plan, repeats: { logId } };
}

function planAsNew(span: IncomingSpan, claimed?: ClaimedLog, prompt?: PromptLink): LogPlan {
  if (claimed && !span.given) {
    const own = span.requestSpanId === null || span.requestSpanId === span.span.spanId;
    return { writesLog: false, logId: claimed.logId, logLink: own ? LOG_LINKS.GIVEN : LOG_LINKS.MANAGED };
  }
  if (!span.call || namesMissingPrompt(span, prompt)) return NO_LOG;
  return { writesLog: true, logId: null, logLink: span.given ? LOG_LINKS.GIVEN : LOG_LINKS.MADE_FROM_SPAN };
}

function keepsLog(stored: SpanLog, { writesLog, logId, logLink }: LogPlan): boolean {
  if (stored.logId === null) return false;
  if (logLink !== stored.logLink) return logLink < stored.logLink;
  // At equal rank only the span's own call is better, because it is newer.
  return !writesLog && logId !== stored.logId;
}

/** A call given beside its span is dropped when its prompt does not exist; one read from a span is kept unlinked. */
function namesMissingPrompt(span: IncomingSpan, prompt: PromptLink | undefined): boolean {
  return span.given !== null && span.facts.prompt !== null && !prompt;
}

function showLog(span: IncomingSpan, { provider, model, inputTokens, outputTokens, cost }: ShownOfLog): void {
  span.facts.provider = provider ?? span.facts.provider;
  span.facts.model = model ?? span.facts.model;
  span.facts.inputTokens = inputTokens;
  span.facts.outputTokens = outputTokens;
  span.cost = cost;
}
