import type { PromptReference } from '../../llm/prompt-reference.js';
import type { PackedCall } from '../../llm/records/packed-call.js';
import type { Priced } from '../conventions/priced.js';
import type { Aside } from '../receipts/asides.js';
import type { NormalizedSpan } from '../span.js';

export interface TraceKey {
  workspaceId: number;
  traceId: string;
}

/** Columns of a span that make it findable, whatever convention it follows. */
export interface SpanFacts {
  spanType: string;
  provider: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** The registry prompt that the span names. */
  prompt: PromptReference | null;
}

/**
 * How a span comes to a request log; a higher one is never replaced by a lower one. Logs of `MANAGED` spans belong to
 * another span, which counts them.
 */
export const LOG_LINKS = { MADE_FROM_SPAN: 0, GIVEN: 1, MANAGED: 2 } as const;
export type LogLink = (typeof LOG_LINKS)[keyof typeof LOG_LINKS];

/** What a span or a log tells of the model, the tokens and the price of a call. */
export interface CallNumbers extends Priced {
  /** US dollars: the reported price, or that of the price table; null when unknown. */
  cost: number | null;
}

/** A call that came beside its span, with what only such a call has. */
export interface GivenLog {
  /** Milliseconds since the epoch; null = those of the span. */
  startMs: number | null;
  endMs: number | null;
  score: { name: string; value: number } | null;
}

/** A span ready to be written: decoded, read through the conventions, priced. */
export interface IncomingSpan {
  workspaceId: number;
  /** Workspace and trace as one text, and with the span: made once, compared often. */
  traceKey: string;
  spanKey: string;
  span: Omit<NormalizedSpan, 'attributes'>;
  /** One JSON object, as text or as its UTF-8. */
  attributes: string | Buffer;
  facts: SpanFacts;
  /** US dollars; null when unknown. */
  cost: number | null;
  /** Not null when the span is a call of a language model: a request log is stored for it. */
  call: PackedCall | null;
  /** Not null when the call came beside the span instead of being read from its attributes. */
  given: GivenLog | null;
  /** The span that the log belongs to which this span takes part in; null for spans that have no mark of an SDK. */
  requestSpanId: string | null;
  /** The id that the service of the model gave its answer; null for a span that is no call or tells none. */
  responseId: string | null;
  /** What it tells of the call whose log is reported for it; null for a span that has no mark of an SDK or is a call itself. */
  told: CallNumbers | null;
  /** Its attributes tell whether it is a call. */
  isConverted: boolean;
  /** Close the trace once the span is stored. */
  closeAfter: boolean;
}

/** A request that brought spans. */
export interface DeliveryHead {
  workspaceId: number;
  receiptId: string;
  /** Spans that are part of the receipt only. */
  asides: Aside[];
  /** All spans or none: what the database does not accept fails the request. */
  atomic: boolean;
}

/** With its spans. */
export interface Delivery extends DeliveryHead {
  spans: IncomingSpan[];
}

/**
 * What became of a span. `merged`: it was there and is now as it came last. `unchanged`: it was there as it came, and
 * `isLogged` says whether the call that it brought is its log. `closed`: its trace does not take spans any more. `refused`:
 * the database did not accept it.
 */
export type SpanOutcome =
  | { kind: 'stored' | 'merged'; id: number; requestLogId: number | null; wroteLog: boolean }
  | { kind: 'unchanged'; isLogged: boolean }
  | { kind: 'superseded' }
  | { kind: 'closed'; traceId: string }
  | { kind: 'refused'; reason: string };

/** NUL cannot stand in an id, so the keys are unambiguous. */
export const traceKeyOf = (workspaceId: number, traceId: string): string => `${workspaceId}\0${traceId}`;
export const spanKeyOf = (traceKey: string, spanId: string): string => `${traceKey}\0${spanId}`;
