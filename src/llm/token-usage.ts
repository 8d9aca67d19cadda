/** Tokens of one kind. */
export interface TokenCounts {
  input: number;
  /** Part of `input`. */
  cached: number;
  output: number;
}

export interface MediaTokens {
  audio: TokenCounts;
  image: TokenCounts;
}

/** Token counts as the source reported them; null = not reported. */
export interface TokenUsage {
  input: number | null;
  output: number | null;
  /** Read from a prompt cache. Part of `input` unless `cacheExclusive`. */
  cached: number | null;
  cacheWrite: number | null;
  /** The part of `cacheWrite` that is kept for an hour, which costs more; where a source tells. */
  cacheWriteHour?: number | null;
  /** Reasoning tokens; part of `output`. */
  thinking: number | null;
  /** The parts of the counts that are no text, which some models charge differently; absent where a source does not tell. */
  media?: MediaTokens;
  /** True for sources whose `input` leaves the cached and cache-written tokens out. */
  cacheExclusive: boolean;
}
