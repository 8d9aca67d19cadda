import { type Conversation, CONVERSATIONS } from './conversations.js';
import type { OtlpSpan } from './spans.js';
import { conversationSpans } from './traces.js';

const HOUR_MS = 3_600_000;
const HOURS = 47;
/** Conversations in the quietest and in the busiest hour of a day. */
const QUIET = 2;
const BUSY = 8;
/** One call in this many fails before it is answered. */
const FAILS_EVERY = 23;

const FAILURES: NonNullable<Conversation['failure']>[] = [
  {
    provider: 'openai',
    model: 'gpt-4o-mini',
    type: 'rate_limit_exceeded',
    message: '429 Rate limit reached for requests per minute',
    afterMs: 240,
  },
  {
    provider: 'anthropic',
    model: 'claude-3-5-haiku-20241022',
    type: 'overloaded_error',
    message: '529 Overloaded',
    afterMs: 1900,
  },
];

/** The two days before the last hour, so that there is a day to compare with: the same questions, asked by others, in a daily rhythm. */
export function earlierTraces(now: number): OtlpSpan[] {
  const starts = Array.from({ length: HOURS }, (_, index) => now - (index + 2) * HOUR_MS).flatMap(startsInHour);
  return starts.flatMap((start, index) => conversationSpans(earlier(index), start));
}

function startsInHour(hour: number): number[] {
  const hourOfDay = new Date(hour).getUTCHours();
  const share = (1 - Math.cos((hourOfDay / 24) * 2 * Math.PI)) / 2;
  const count = Math.round(QUIET + (BUSY - QUIET) * share);
  return Array.from({ length: count }, (_, index) => hour + ((index + 0.3) / count) * HOUR_MS);
}

/** Varies the conversations of the last hour. The same number gives the same one, so that every start has the same data. */
function earlier(index: number): Conversation {
  const conversation = CONVERSATIONS[(index * 5) % CONVERSATIONS.length]!;
  const slower = 0.7 + ((index * 37) % 100) / 120;
  const { failure: _, ...told } = conversation;
  return {
    ...told,
    user: `customer-${(index * 13) % 60}`,
    session: `chat-${2000 + index}`,
    searchMs: Math.round(conversation.searchMs * slower),
    modelMs: Math.round(conversation.modelMs * slower),
    outputTokens: Math.round(conversation.outputTokens * slower),
    ...(index % FAILS_EVERY === 7 && { failure: FAILURES[index % FAILURES.length] }),
  };
}
