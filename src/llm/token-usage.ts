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
  /** The service tier that the call was processed at, in lower case, and what else makes tokens dearer; absent for the usual one. */
  serviceTier?: string;
  /** Searches of the web that the vendor made for the call and bills apart. */
  webSearches?: number;
  /** How much of the web the vendor looked at for the call, where it is billed by that: low, medium or high. */
  searchContext?: string;
  /** The vendor bills something else apart, whose price nothing tells: the call as a whole has no known price. */
  hasOtherCharges?: boolean;
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

const countOf = (usage: TokenUsage, part: Part | 'input' | 'output'): number => usage[part] ?? 0;

/**
 * Tells by the reported total which parts lie inside the input and the output, and which beside them. Thinking that stood
 * beside the output is added to it. Where no total tells, parts that are larger than the whole must lie beside it.
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

/** Those that make up exactly what the total is more than the counts. */
function partsBeside(usage: TokenUsage, missing: number): Part[] {
  if (missing <= 0) return [];
  const told = BESIDE.find((parts) => parts.reduce((sum, part) => sum + countOf(usage, part), 0) === missing) ?? [];
  return told.filter((part) => countOf(usage, part) > 0);
}

const USUAL_TIERS = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'not_available', 'global']);

/**
 * The usage with the tier that answered, or else the one that was asked for. Priority may be asked for and not be given, so only
 * an answer says that it was.
 */
export function withServiceTier(usage: TokenUsage, answered: unknown, asked?: unknown): TokenUsage {
  const told = [answered, asked].map(tierOf);
  const tier = told[0] ?? (told[1] === 'priority' ? 'priority unconfirmed' : told[1]);
  return tier === undefined || USUAL_TIERS.has(tier) ? usage : { ...usage, serviceTier: tier };
}

function tierOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : undefined;
}
