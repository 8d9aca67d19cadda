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

/** The counts that sources keep inside the input or the output, or beside it. */
type Part = 'thinking' | 'cached' | 'cacheWrite';

/** What may stand beside the counts, the likelier the earlier. */
const BESIDE: Part[][] = [
  ['thinking'],
  ['cached', 'cacheWrite'],
  ['cached'],
  ['cacheWrite'],
  ['cached', 'cacheWrite', 'thinking'],
  ['cached', 'thinking'],
  ['cacheWrite', 'thinking'],
];

/**
 * Tells by the reported total which parts lie inside the input and the output, and which beside them. Thinking that stood
 * beside the output is added to it. Where no total tells, parts that are larger than the whole must lie beside it.
 */
export function placeParts(usage: TokenUsage, total: number | null): TokenUsage {
  const { input, output, cached, cacheWrite } = usage;
  const beside = total === null || input === null ? [] : partsBeside(usage, total - input - (output ?? 0));
  const placed = beside.includes('thinking') ? { ...usage, output: (output ?? 0) + (usage.thinking ?? 0) } : usage;
  const apart = beside.filter((part) => part !== 'thinking');
  if (apart.length === 0) {
    const exceeds = input !== null && (cached ?? 0) + (cacheWrite ?? 0) > input;
    return exceeds ? { ...placed, cacheExclusive: true } : placed;
  }
  const isMixed = apart.length === 1 && (cached ?? 0) > 0 && (cacheWrite ?? 0) > 0;
  if (!isMixed) return { ...placed, cacheExclusive: true };
  return { ...placed, input: (input ?? 0) + (usage[apart[0]!] ?? 0), cacheExclusive: false };
}

/** Those that make up exactly what the total is more than the counts. */
function partsBeside(usage: TokenUsage, missing: number): Part[] {
  if (missing <= 0) return [];
  const told = BESIDE.find((parts) => parts.reduce((sum, part) => sum + (usage[part] ?? 0), 0) === missing);
  return (told ?? []).filter((part) => (usage[part] ?? 0) > 0);
}
