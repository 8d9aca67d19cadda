import type { PromptLink } from '../../llm/prompt-reference.js';
import type { LlmCall } from '../../llm/records/llm-call.js';

/** A call that a client reports, ready to be stored. */
export interface CallToLog {
  workspaceId: number;
  call: LlmCall;
  /** Milliseconds since the epoch, with a fraction. */
  startMs: number;
  endMs: number;
  /** True when characters that cannot be stored were replaced. */
  sanitized: boolean;
  score: { name: string; value: number } | null;
  groupId: number | null;
  /** The span that the call was made in. */
  spanId: string | null;
  /** Refuse the call when its prompt does not exist, instead of storing it without a prompt. */
  needsPrompt: boolean;
  /** The size it arrived in. */
  bytes: number;
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

/**
 * What became of a call. `known`: the same call of the same span had been stored before. The others were not stored:
 * the prompt or group they name is not there, or the database did not accept them.
 */
export type CallOutcome =
  | StoredCall
  | { kind: 'known'; id: number }
  | { kind: 'prompt_missing' }
  | { kind: 'group_missing' }
  | { kind: 'refused'; reason: string };
