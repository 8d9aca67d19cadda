import { objectAt } from '../shared/json-reading.js';
import type { JsonObject } from '../../platform/json.js';

/** Approximate number of characters per token in most languages and models. */
const CHARACTERS_PER_TOKEN = 4;
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxTokens'];

/**
 * Approximate number of input tokens of these arguments, and the limit of output tokens; null where there is no limit.
 */
export function estimateTokens(kwargs: JsonObject): { input: number; output: number | null } {
  const places = [kwargs, objectAt(kwargs, 'generation_config', 'inferenceConfig') ?? {}];
  const told = places.flatMap((place) => LIMITS.map((name) => place[name]));
  const output = told.find((value): value is number => typeof value === 'number') ?? null;
  return { input: Math.ceil(JSON.stringify(kwargs).length / CHARACTERS_PER_TOKEN), output };
}
