import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { MediaTokens, TokenCounts, TokenUsage } from '../../shared/token-usage.js';

export const NO_USAGE: TokenUsage = {
  input: null,
  output: null,
  cached: null,
  cacheWrite: null,
  thinking: null,
  cacheExclusive: false,
};

/** Beyond any real call, and beyond a PostgreSQL integer. */
const MAX_TOKENS = 2 ** 31 - 1;

/** The first of the members, each a path, that holds a count of tokens. */
export function tokensAt(usage: JsonObject, ...paths: string[]): number | null {
  for (const path of paths) {
    const value = path
      .split('.')
      .reduce<JsonValue | undefined>(
        (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
        usage,
      );
    if (typeof value === 'number' && value >= 0 && value <= MAX_TOKENS) return Math.round(value);
  }
  return null;
}

/** Undefined when there is nothing but text. */
export function toldMedia(media: MediaTokens): MediaTokens | undefined {
  const counts = Object.values(media).flatMap(({ input, output }: TokenCounts) => [input, output]);
  return counts.some((count) => count > 0) ? media : undefined;
}

/** The sum of the reported counts; null when none is reported. */
export function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : Math.min(MAX_TOKENS, (a ?? 0) + (b ?? 0));
}
