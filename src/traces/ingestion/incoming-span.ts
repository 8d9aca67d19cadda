import type { PromptReference } from '../../llm/prompt-reference.js';
import type { LlmCall } from '../../requests/index.js';
import type { NormalizedSpan } from '../span.js';

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

/** A span ready to be written: decoded, read through the conventions, priced. */
export interface IncomingSpan {
  workspaceId: number;
  /** Workspace and trace as one text, and with the span: made once, compared often. */
  traceKey: string;
  spanKey: string;
  span: NormalizedSpan;
  facts: SpanFacts;
  /** US dollars; null when unknown. */
  cost: number | null;
  /** Not null when the span is a call of a language model: a request log is stored for it. */
  call: LlmCall | null;
  /** Close the trace once the span is stored. */
  closeAfter: boolean;
}

/** What became of a span. `closed`: its trace does not take spans any more. `refused`: the database did not accept it. */
export type SpanOutcome =
  | { kind: 'stored'; id: number; requestLogId: number | null }
  | { kind: 'unchanged' }
  | { kind: 'superseded' }
  | { kind: 'closed' }
  | { kind: 'refused'; reason: string };

/** NUL cannot stand in an id, so the keys are unambiguous. */
export const traceKeyOf = (workspaceId: number, traceId: string): string => `${workspaceId}\0${traceId}`;
export const spanKeyOf = (traceKey: string, spanId: string): string => `${traceKey}\0${spanId}`;
