import type { Prompt } from '../shared/blueprint.js';
import type { PromptReference } from '../shared/prompt-reference.js';
import type { TokenUsage } from '../shared/token-usage.js';
import type { JsonObject } from '../../platform/json.js';

export type RequestStatus = 'SUCCESS' | 'WARNING' | 'ERROR';

/** One call of a language model, however it was reported. A request log is this plus identity. */
export interface LlmCall {
  /** Canonical provider name; "unknown" when the source has none. */
  provider: string;
  /** "unknown" when the source has none. */
  model: string;
  /** The model that answered, where the source names it: deployments and aliases hide which one is billed. */
  answeredBy?: string | null;
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
