import type { Prompt } from '../llm/blueprint.js';
import type { PromptReference } from '../llm/prompt-reference.js';
import type { JsonObject } from '../platform/json.js';

export type RequestStatus = 'SUCCESS' | 'WARNING' | 'ERROR';

/** Token counts as the source reported them; null = not reported. */
export interface TokenUsage {
  input: number | null;
  output: number | null;
  /** Read from a prompt cache. Part of `input` unless `cacheExclusive`. */
  cached: number | null;
  cacheWrite: number | null;
  /** Reasoning tokens; part of `output`. */
  thinking: number | null;
  /** True for sources whose `input` leaves the cached and cache-written tokens out. */
  cacheExclusive: boolean;
}

/** One call of a language model, however it was reported. A request log is this plus identity. */
export interface LlmCall {
  /** Canonical provider name, "unknown" when nothing tells. */
  provider: string;
  /** "unknown" when nothing tells. */
  model: string;
  apiType: string | null;
  functionName: string;
  input: Prompt;
  output: Prompt;
  parameters: JsonObject;
  usage: TokenUsage;
  /** US dollars reported by the source; null = to be computed from the price table. */
  reportedPrice: number | null;
  status: RequestStatus;
  errorType: string | null;
  /** At most 1024 characters. */
  errorMessage: string | null;
  tags: string[];
  metadata: Record<string, string>;
  promptInputVariables: JsonObject;
  /** The registry prompt that the call names. */
  prompt: PromptReference | null;
}
