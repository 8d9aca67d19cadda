import { describe, expect, it } from 'vitest';
import { type IncomingSpan, LOG_LINKS } from './incoming-span.js';
import { type LogPlan, planLog, type SpanLog } from './log-plan.js';

const { MADE_FROM_SPAN, GIVEN, MANAGED } = LOG_LINKS;
const REPORTED = { logId: 70, inputTokens: 7, outputTokens: 7, cost: 7 };
const OWN_NUMBERS = { inputTokens: 1, outputTokens: 1, cost: 1 };

/** A span with numbers of its own: without a call, with one that is read from it, or with one beside it. */
function incoming(kind: 'bare' | 'call' | 'given', requestSpanId: string | null = null): IncomingSpan {
  return {
    span: { spanId: 's' },
    requestSpanId,
    facts: { inputTokens: 1, outputTokens: 1, prompt: null },
    cost: 1,
    call: kind === 'bare' ? null : {},
    given: kind === 'given' ? {} : null,
  } as unknown as IncomingSpan;
}
const stored = (logId: number | null, logLink: SpanLog['logLink']): SpanLog => ({
  logId,
  logLink,
  inputTokens: 5,
  outputTokens: 5,
  cost: 5,
});
const STORED_NUMBERS = { inputTokens: 5, outputTokens: 5, cost: 5 };
const REPORTED_NUMBERS = { inputTokens: 7, outputTokens: 7, cost: 7 };
const none: LogPlan = { writesLog: false, logId: null, logLink: MADE_FROM_SPAN };
const writes = (logLink: LogPlan['logLink'], logId: number | null = null) => ({ writesLog: true, logId, logLink });
const links = (logId: number, logLink: LogPlan['logLink']) => ({ writesLog: false, logId, logLink });

type Case = [string, Parameters<typeof planLog>, LogPlan, typeof OWN_NUMBERS];
const claimed = REPORTED;
const cases: Case[] = [
  ['new, without a call', [incoming('bare')], none, OWN_NUMBERS],
  ['new, with a call', [incoming('call')], writes(MADE_FROM_SPAN), OWN_NUMBERS],
  ['new, with a call beside it', [incoming('given')], writes(GIVEN), OWN_NUMBERS],
  ['new, reported', [incoming('call', 's'), { claimed }], links(70, GIVEN), REPORTED_NUMBERS],
  ['new, managed by a reported one', [incoming('call', 'm'), { claimed }], links(70, MANAGED), OWN_NUMBERS],
  ['new, reported, with a call beside it', [incoming('given', 's'), { claimed }], writes(GIVEN), OWN_NUMBERS],
  [
    'there without a log, now with a call',
    [incoming('call'), { stored: stored(null, MADE_FROM_SPAN) }],
    writes(MADE_FROM_SPAN),
    OWN_NUMBERS,
  ],
  [
    'there with its log, with a call again',
    [incoming('call'), { stored: stored(50, MADE_FROM_SPAN) }],
    writes(MADE_FROM_SPAN, 50),
    OWN_NUMBERS,
  ],
  [
    'there with its log, now without a call',
    [incoming('bare'), { stored: stored(50, MADE_FROM_SPAN) }],
    links(50, MADE_FROM_SPAN),
    STORED_NUMBERS,
  ],
  [
    'there with its log, now with a call beside it',
    [incoming('given'), { stored: stored(50, MADE_FROM_SPAN) }],
    writes(GIVEN, 50),
    OWN_NUMBERS,
  ],
  [
    'there with its log, now reported',
    [incoming('call', 's'), { claimed, stored: stored(50, MADE_FROM_SPAN) }],
    links(70, GIVEN),
    REPORTED_NUMBERS,
  ],
  [
    'there with its log, now managed',
    [incoming('call', 'm'), { claimed, stored: stored(50, MADE_FROM_SPAN) }],
    links(70, MANAGED),
    OWN_NUMBERS,
  ],
  [
    'there with a given log, now with a call of its own',
    [incoming('call'), { stored: stored(50, GIVEN) }],
    links(50, GIVEN),
    STORED_NUMBERS,
  ],
  [
    'there with a given log, given again',
    [incoming('given'), { stored: stored(50, GIVEN) }],
    writes(GIVEN, 50),
    OWN_NUMBERS,
  ],
  [
    'there with the log that is reported',
    [incoming('bare', 's'), { claimed, stored: stored(70, GIVEN) }],
    links(70, GIVEN),
    REPORTED_NUMBERS,
  ],
  [
    'there with a given log, now another is reported',
    [incoming('bare', 's'), { claimed, stored: stored(50, GIVEN) }],
    links(50, GIVEN),
    STORED_NUMBERS,
  ],
  [
    'there as a managed one, now with a call beside it',
    [incoming('given'), { stored: stored(50, MANAGED) }],
    links(50, MANAGED),
    STORED_NUMBERS,
  ],
  [
    'there as a managed one, and again',
    [incoming('call', 'm'), { claimed, stored: stored(70, MANAGED) }],
    links(70, MANAGED),
    OWN_NUMBERS,
  ],
];

describe('the log of a span that is', () => {
  it.each(cases)('%s', (_, [span, known], plan, numbers) => {
    expect(planLog(span, known)).toEqual(plan);
    const { facts, cost } = span;
    expect({ inputTokens: facts.inputTokens, outputTokens: facts.outputTokens, cost }).toEqual(numbers);
  });

  it('there with a log while the prompt of the call beside it is not', () => {
    const span = incoming('given');
    span.facts.prompt = { id: 9, name: null, version: null, label: null };
    expect(planLog(span)).toEqual(none);
    expect(planLog(span, { stored: stored(50, GIVEN) })).toEqual(links(50, GIVEN));
    expect(planLog(span, { prompt: { promptId: 9, versionNumber: 1, variables: [] } })).toEqual(writes(GIVEN));
  });
});
