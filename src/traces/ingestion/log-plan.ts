import type { PromptLink } from '../../llm/prompt-reference.js';
import { type IncomingSpan, LOG_LINKS, type LogLink } from './incoming-span.js';
import type { ClaimedLog } from './links.queries.js';

/** The request log of a span, as far as it can be said before the span is stored. */
export interface LogPlan {
  /** A log is made for the span, unless the stored span has a better one. */
  writesLog: boolean;
  /** A log that exists already. */
  logId: number | null;
  logLink: LogLink;
}

const NO_LOG: LogPlan = { writesLog: false, logId: null, logLink: LOG_LINKS.MADE_FROM_SPAN };

/** A log that was reported for the span by its id comes first, then the call of the span itself. */
export function planLog(span: IncomingSpan, claimed?: ClaimedLog, prompt?: PromptLink): LogPlan {
  if (claimed && !span.given) {
    const own = span.requestSpanId === span.span.spanId;
    // The span that the log was reported for shows its numbers and counts them.
    if (own) takeNumbers(span, claimed);
    return { writesLog: false, logId: claimed.logId, logLink: own ? LOG_LINKS.GIVEN : LOG_LINKS.MANAGED };
  }
  if (!span.call || namesMissingPrompt(span, prompt)) return NO_LOG;
  return { writesLog: true, logId: null, logLink: span.given ? LOG_LINKS.GIVEN : LOG_LINKS.MADE_FROM_SPAN };
}

/** A call given beside its span is left out when its prompt does not exist; one read from a span is kept unlinked. */
function namesMissingPrompt(span: IncomingSpan, prompt: PromptLink | undefined): boolean {
  return span.given !== null && span.facts.prompt !== null && !prompt;
}

function takeNumbers(span: IncomingSpan, { inputTokens, outputTokens, price }: ClaimedLog): void {
  Object.assign(span.facts, { inputTokens, outputTokens });
  span.cost = price;
}
