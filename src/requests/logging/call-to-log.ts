import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import type { Arrival } from '../../platform/http/request.js';
import type { LlmCall } from '../../llm/records/llm-call.js';

/** A call that a client reports, ready to be stored. */
export interface CallToLog extends Arrival {
  workspaceId: number;
  call: LlmCall;
  /** Milliseconds since the epoch, with a fraction. */
  startMs: number;
  endMs: number;
  score: { name: string; value: number } | null;
  groupId: number | null;
  /** The span of the call. */
  spanId: string | null;
  /** Refuses the call when its prompt does not exist, instead of storing it without a prompt. */
  needsPrompt: boolean;
}

/** A call that was stored. */
export interface StoredCall {
  kind: 'stored';
  id: number;
  /** US dollars; null when no rate is known. */
  price: number | null;
  promptLink: PromptLink | null;
  createdAt: Date;
  /** The span of the call was stored before. */
  foundSpan: boolean;
}

/** The same call of the same span had been stored before. */
export interface KnownCall {
  kind: 'known';
  id: number;
}

/**
 * The outcome of a call. In all cases but the first two it was not stored: its prompt or group does not exist, or the
 * database did not accept it.
 */
export type CallOutcome =
  StoredCall | KnownCall | { kind: 'prompt_missing' } | { kind: 'group_missing' } | { kind: 'refused'; reason: string };
