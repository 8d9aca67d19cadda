import type { PromptReference } from '../../llm/shared/prompt-reference.js';
import type { PackedCall } from '../../llm/records/packed-call.js';
import type { NormalizedSpan, Priced } from '../../trace-conventions/index.js';
import type { Aside } from '../receipts/asides.js';

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
 * How a span got its request log; a higher link is never replaced by a lower one. Logs of `MANAGED` spans belong to
 * another span, which counts them.
 */
export const LOG_LINKS = { MADE_FROM_SPAN: 0, GIVEN: 1, MANAGED: 2 } as const;
export type LogLink = (typeof LOG_LINKS)[keyof typeof LOG_LINKS];

/** Model, tokens and price of a call, from a span or a log. */
export interface CallNumbers extends Priced {
  /** US dollars: the reported price, or that of the price table; null when unknown. */
  cost: number | null;
}

/** A call that was sent beside its span, with the fields that only such calls have. */
export interface GivenLog {
  /** Milliseconds since the epoch; null = those of the span. */
  startMs: number | null;
  endMs: number | null;
  score: { name: string; value: number } | null;
}

/** A span ready to be written: decoded, read through the conventions, priced. */
export interface IncomingSpan {
  workspaceId: number;
  /** Key of workspace and trace, and of the span: computed once because it is compared often. */
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
  /** Id of the span whose log this span takes part in; null for spans without a mark of an SDK. */
  requestSpanId: string | null;
  /** The id that the model's service gave its answer; null for a span that is no call or has none. */
  responseId: string | null;
  /**
   * Numbers for the call whose log is reported for the span; null for a span without a mark of an SDK, and for a call.
   */
  told: CallNumbers | null;
  /** Whether its attributes decide if it is a call. */
  isConverted: boolean;
  /** Close the trace once the span is stored. */
  closeAfter: boolean;
}

/** A request that brought spans. */
export interface DeliveryHead {
  workspaceId: number;
  receiptId: string;
  /** Skipped spans, which are only part of the receipt. */
  asides: Aside[];
  /** All spans or none: a span that the database rejects fails the request. */
  atomic: boolean;
}

/** A request with its spans. */
export interface Delivery extends DeliveryHead {
  spans: IncomingSpan[];
}

/**
 * Outcome of a span. `merged`: it existed and was replaced. `unchanged`: it existed with the same content, and
 * `isLogged` says whether the call that it brought is its log. `closed`: its trace accepts no more spans. `refused`:
 * the database rejected it.
 */
export type SpanOutcome =
  | { kind: 'stored' | 'merged'; id: number; requestLogId: number | null; wroteLog: boolean }
  | { kind: 'unchanged'; isLogged: boolean }
  | { kind: 'superseded' }
  | { kind: 'closed'; traceId: string }
  | { kind: 'refused'; reason: string };

/** NUL cannot be part of an id, so the keys are unambiguous. */
export const traceKeyOf = (workspaceId: number, traceId: string): string => `${workspaceId}\0${traceId}`;
export const spanKeyOf = (traceKey: string, spanId: string): string => `${traceKey}\0${spanId}`;
