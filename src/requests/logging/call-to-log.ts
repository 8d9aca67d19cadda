import type { PromptLink } from '../../llm/prompt-reference.js';
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
  /** The span that the call was made in. */
  spanId: string | null;
  /** Refuse the call when its prompt does not exist, instead of storing it without a prompt. */
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
  /** The span that it was made in was stored before. */
  foundSpan: boolean;
}

/** The same call of the same span had been stored before. */
export interface KnownCall {
  kind: 'known';
  id: number;
}

/**
 * What became of a call. Beside the first two it was not stored: the prompt or group it names is not there, or the database
 * did not accept it.
 */
export type CallOutcome =
  StoredCall | KnownCall | { kind: 'prompt_missing' } | { kind: 'group_missing' } | { kind: 'refused'; reason: string };
