import { objectAt } from '../json-reading.js';
import type { JsonObject } from '../../platform/json.js';

/** About how many characters a token takes in most languages and models. */
const CHARACTERS_PER_TOKEN = 4;
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxTokens'];

/** How many tokens go in with these arguments, roughly, and how many may come out; null where nothing limits them. */
export function estimateTokens(kwargs: JsonObject): { input: number; output: number | null } {
  const places = [kwargs, objectAt(kwargs, 'generation_config', 'inferenceConfig') ?? {}];
  const told = places.flatMap((place) => LIMITS.map((name) => place[name]));
  const output = told.find((value): value is number => typeof value === 'number') ?? null;
  return { input: Math.ceil(JSON.stringify(kwargs).length / CHARACTERS_PER_TOKEN), output };
}
