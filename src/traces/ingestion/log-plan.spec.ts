import { describe, expect, it } from 'vitest';
import { type IncomingSpan, LOG_LINKS } from './incoming-span.js';
import { type LogPlan, planLog, type SpanLog } from './log-plan.js';

const { MADE_FROM_SPAN, GIVEN, MANAGED } = LOG_LINKS;
/** Model and numbers that a span shows: its own, or those of a log. */
const shownOf = (who: string, number: number) => ({
  provider: `${who} provider`,
  model: `${who} model`,
  inputTokens: number,
  outputTokens: number,
  cost: number,
});
const OWN = shownOf('own', 1);
const STORED = shownOf('stored', 5);
const REPORTED = shownOf('reported', 7);

/** A span that shows its own values: without a call, with a call read from it, or with a call beside it. */
function incoming(kind: 'bare' | 'call' | 'given', requestSpanId: string | null = null): IncomingSpan {
  const { cost, ...facts } = OWN;
  return {
    span: { spanId: 's' },
    requestSpanId,
    facts: { ...facts, prompt: null },
    cost,
    call: kind === 'bare' ? null : {},
    given: kind === 'given' ? {} : null,
  } as unknown as IncomingSpan;
}
const stored = (logId: number | null, logLink: SpanLog['logLink']): SpanLog => ({
  logId,
  logLink,
  ...STORED,
});
const none: LogPlan = { writesLog: false, logId: null, logLink: MADE_FROM_SPAN };
const writes = (logLink: LogPlan['logLink'], logId: number | null = null) => ({ writesLog: true, logId, logLink });
const links = (logId: number, logLink: LogPlan['logLink']) => ({ writesLog: false, logId, logLink });

type Case = [string, Parameters<typeof planLog>, LogPlan, typeof OWN];
const claimed = { logId: 70, ...REPORTED };
const cases: Case[] = [
  ['new, without a call', [incoming('bare')], none, OWN],
  ['new, with a call', [incoming('call')], writes(MADE_FROM_SPAN), OWN],
  ['new, with a call beside it', [incoming('given')], writes(GIVEN), OWN],
  ['new, reported', [incoming('call', 's'), { claimed }], links(70, GIVEN), REPORTED],
  ['new, managed by a reported one', [incoming('call', 'm'), { claimed }], links(70, MANAGED), OWN],
  ['new, reported, with a call beside it', [incoming('given', 's'), { claimed }], writes(GIVEN), OWN],
  [
    'there without a log, now with a call',
    [incoming('call'), { stored: stored(null, MADE_FROM_SPAN) }],
    writes(MADE_FROM_SPAN),
    OWN,
  ],
  [
    'there with its log, with a call again',
    [incoming('call'), { stored: stored(50, MADE_FROM_SPAN) }],
    writes(MADE_FROM_SPAN, 50),
    OWN,
  ],
  [
    'there with its log, now without a call',
    [incoming('bare'), { stored: stored(50, MADE_FROM_SPAN) }],
    links(50, MADE_FROM_SPAN),
    STORED,
  ],
  [
    'there with its log, now with a call beside it',
    [incoming('given'), { stored: stored(50, MADE_FROM_SPAN) }],
    writes(GIVEN, 50),
    OWN,
  ],
  [
    'there with its log, now reported',
    [incoming('call', 's'), { claimed, stored: stored(50, MADE_FROM_SPAN) }],
    links(70, GIVEN),
    REPORTED,
  ],
  [
    'there with its log, now managed',
    [incoming('call', 'm'), { claimed, stored: stored(50, MADE_FROM_SPAN) }],
    links(70, MANAGED),
    OWN,
  ],
  [
    'there with a given log, now with a call of its own',
    [incoming('call'), { stored: stored(50, GIVEN) }],
    links(50, GIVEN),
    STORED,
  ],
  ['there with a given log, given again', [incoming('given'), { stored: stored(50, GIVEN) }], writes(GIVEN, 50), OWN],
  [
    'there with the log that is reported',
    [incoming('bare', 's'), { claimed, stored: stored(70, GIVEN) }],
    links(70, GIVEN),
    REPORTED,
  ],
  [
    'there with a given log, now another is reported',
    [incoming('bare', 's'), { claimed, stored: stored(50, GIVEN) }],
    links(50, GIVEN),
    STORED,
  ],
  [
    'there as a managed one, now with a call beside it',
    [incoming('given'), { stored: stored(50, MANAGED) }],
    links(50, MANAGED),
    STORED,
  ],
  [
    'there as a managed one, and again',
    [incoming('call', 'm'), { claimed, stored: stored(70, MANAGED) }],
    links(70, MANAGED),
    OWN,
  ],
];

describe('the log of a span that is', () => {
  it.each(cases)('%s', (_, [span, known], plan, shown) => {
    expect(planLog(span, known)).toEqual(plan);
    expect({ ...span.facts, cost: span.cost }).toEqual({ ...shown, prompt: null });
  });

  it('reported by a log that names no model shows its own', () => {
    const span = incoming('bare', 's');
    planLog(span, { claimed: { ...claimed, provider: null, model: null } });
    expect(span.facts).toMatchObject({ provider: OWN.provider, model: OWN.model, inputTokens: REPORTED.inputTokens });
  });

  it('there with a log while the prompt of the call beside it is not', () => {
    const span = incoming('given');
    span.facts.prompt = { id: 9, name: null, version: null, label: null };
    expect(planLog(span)).toEqual(none);
    expect(planLog(span, { stored: stored(50, GIVEN) })).toEqual(links(50, GIVEN));
    expect(planLog(span, { prompt: { promptId: 9, versionNumber: 1, variables: [] } })).toEqual(writes(GIVEN));
  });
});
