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
  /** The part of `cacheWrite` that is kept for an hour, which costs more; absent where unknown. */
  cacheWriteHour?: number | null;
  /** Reasoning tokens; part of `output`. */
  thinking: number | null;
  /** The parts of the counts that are not text, which some models charge differently; absent where unknown. */
  media?: MediaTokens;
  /**
   * Service tier of the call, in lower case, and other properties that raise the price of tokens; absent for the
   * standard tier.
   */
  serviceTier?: string;
  /** Web searches that the vendor made for the call and bills separately. */
  webSearches?: number;
  /** Amount of web context for the call, where it determines the price: low, medium or high. */
  searchContext?: string;
  /** The vendor bills something else separately at an unknown price, so the price of the call as a whole is unknown. */
  hasOtherCharges?: boolean;
  /** True for sources whose `input` leaves the cached and cache-written tokens out. */
  cacheExclusive: boolean;
}

/** The counts that sources keep inside the input or the output, or beside it. */
type Part = 'thinking' | 'cached' | 'cacheWrite';

/** Parts that may be counted beside the input and the output, the likeliest first. */
const BESIDE: Part[][] = [
  ['thinking'],
  ['cached', 'cacheWrite'],
  ['cached'],
  ['cacheWrite'],
  ['cached', 'cacheWrite', 'thinking'],
  ['cached', 'thinking'],
  ['cacheWrite', 'thinking'],
];

const countOf = (usage: TokenUsage, part: Part | 'input' | 'output'): number => usage[part] ?? 0;

/**
 * Decides by the reported total which parts are included in the input and the output, and which are beside them.
 * Thinking that was beside the output is added to it. Without a total, parts that are larger than the whole must be
 * beside it.
 */
export function placeParts(usage: TokenUsage, total: number | null): TokenUsage {
  if (usage.input === null) return usage;
  const beside = total === null ? [] : partsBeside(usage, total - usage.input - countOf(usage, 'output'));
  const output = countOf(usage, 'output') + countOf(usage, 'thinking');
  const placed = beside.includes('thinking') ? { ...usage, output } : usage;
  return placeCache(
    placed,
    beside.filter((part) => part !== 'thinking'),
  );
}

function placeCache(usage: TokenUsage, beside: Part[]): TokenUsage {
  const [input, cached, written] = (['input', 'cached', 'cacheWrite'] as const).map((part) => countOf(usage, part)) as [
    number,
    number,
    number,
  ];
  const isMixed = beside.length === 1 && cached > 0 && written > 0;
  if (isMixed) return { ...usage, input: input + countOf(usage, beside[0]!), cacheExclusive: false };
  const isBeside = beside.length > 0 || cached + written > input;
  return isBeside ? { ...usage, cacheExclusive: true } : usage;
}

/** The parts that add up to exactly the difference between the total and the counts. */
function partsBeside(usage: TokenUsage, missing: number): Part[] {
  if (missing <= 0) return [];
  const told = BESIDE.find((parts) => parts.reduce((sum, part) => sum + countOf(usage, part), 0) === missing) ?? [];
  return told.filter((part) => countOf(usage, part) > 0);
}

const USUAL_TIERS = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'not_available', 'global']);

/**
 * The usage with the tier that answered, or else the requested one. Priority may be requested and not be given, so only
 * an answer proves it.
 */
export function withServiceTier(usage: TokenUsage, answered: unknown, asked?: unknown): TokenUsage {
  const told = [answered, asked].map(tierOf);
  const tier = told[0] ?? (told[1] === 'priority' ? 'priority unconfirmed' : told[1]);
  return tier === undefined || USUAL_TIERS.has(tier) ? usage : { ...usage, serviceTier: tier };
}

function tierOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : undefined;
}
