import { toCamelCase } from './sources.js';
import type { Count, Source, UsageWords } from './words.js';

/**
 * Names that senders and vendors use for each count, the most specific first. A dot leads into an object where the
 * counts are one.
 */
const NAMES: Readonly<Record<Count, string[]>> = {
  input: ['input_tokens', 'prompt_tokens', 'input_token_count', 'prompt_token_count', 'tokens.input', 'tokens.prompt'],
  output: [
    'output_tokens',
    'completion_tokens',
    'output_token_count',
    'completion_token_count',
    'candidates_token_count',
    'tokens.output',
    'tokens.completion',
  ],
  total: ['total_tokens', 'total_token_count', 'tokens.total'],
  cached: [
    'cache_read.input_tokens',
    'cache_read_input_tokens',
    'cached_input_tokens',
    'input_tokens.cached',
    'input_tokens.cache_read',
    'prompt_tokens.cached',
    'input_tokens_details.cached_tokens',
    'prompt_tokens_details.cached_tokens',
    'input_token_details.cached_tokens',
    'prompt_token_details.cached_tokens',
    'input_token_details.cache_read',
    'input_token_details.cache_read_tokens',
    'input_tokens_details.cache_read',
    'prompt_tokens_details.cache_read',
    'prompt_tokens_details.cache_read_input_tokens',
    'details.cache_read_tokens',
    'details.cache_read_input_tokens',
    'details.cached_tokens',
    'details.cached_content_tokens',
    'cache_read_tokens',
    'cached_tokens',
    'cached_prompt_tokens',
    'prompt_cached_tokens',
    'input_cached_tokens',
    'cached_content_token_count',
    'cached_content_tokens',
    'cache_read_input_token_count',
    'cached_token_count',
    'prompt_cache_hit_tokens',
    'tokens.cached',
    'tokens.cache_read',
  ],
  cacheWrite: [
    'cache_creation.input_tokens',
    'cache_creation_input_tokens',
    'cache_write.input_tokens',
    'cache_write_input_tokens',
    'input_tokens.cache_write',
    'input_tokens.cache_creation',
    'input_token_details.cache_creation',
    'input_token_details.cache_write',
    'input_token_details.cache_write_tokens',
    'input_tokens_details.cache_creation',
    'input_tokens_details.cache_write_tokens',
    'prompt_tokens_details.cache_creation_tokens',
    'prompt_tokens_details.cache_write_tokens',
    'prompt_tokens_details.cache_write',
    'prompt_tokens_details.cache_creation_input_tokens',
    'details.cache_write_tokens',
    'details.cache_creation_input_tokens',
    'cache_creation_tokens',
    'cache_write_tokens',
    'cached_write_tokens',
    'prompt_cache_creation_tokens',
    'cache_write_input_token_count',
    'tokens.cache_write',
    'tokens.cache_creation',
  ],
  cacheWriteHour: ['cache_creation.ephemeral_1h_input_tokens', 'input_token_details.ephemeral_1h_input_tokens'],
  thinking: [
    'reasoning.output_tokens',
    'reasoning_output_tokens',
    'output_tokens.reasoning',
    'completion_tokens.reasoning',
    'output_tokens_details.reasoning_tokens',
    'completion_tokens_details.reasoning_tokens',
    'output_token_details.reasoning_tokens',
    'completion_token_details.reasoning_tokens',
    'output_token_details.reasoning',
    'output_tokens_details.reasoning',
    'completion_tokens_details.reasoning',
    'details.reasoning_tokens',
    'details.thoughts_tokens',
    'reasoning_tokens',
    'output_reasoning_tokens',
    'completion_reasoning_tokens',
    'thoughts_token_count',
    'thoughts_tokens',
    'thinking_tokens',
    'reasoning_token_count',
    'tokens.reasoning',
  ],
  audioInput: [
    'details.input_audio_tokens',
    'prompt_tokens_details.audio_tokens',
    'input_tokens_details.audio_tokens',
    'input_token_details.audio',
    'input_token_details.audio_tokens',
    'prompt_tokens_details.audio',
    'input_audio_tokens',
    'prompt_audio_tokens',
  ],
  audioCached: ['details.cache_audio_read_tokens', 'cache_audio_read_tokens', 'input_cached_audio_tokens'],
  audioOutput: [
    'details.output_audio_tokens',
    'completion_tokens_details.audio_tokens',
    'output_tokens_details.audio_tokens',
    'output_token_details.audio',
    'output_token_details.audio_tokens',
    'completion_tokens_details.audio',
    'output_audio_tokens',
    'completion_audio_tokens',
  ],
};

/** Names that mean tokens only where everything is a count. */
const SHORT_NAMES: Readonly<Partial<Record<Count, string[]>>> = {
  input: ['input', 'prompt'],
  output: ['output', 'completion'],
  total: ['total', 'tokens'],
  cached: ['prompt_details.cache_read', 'input_cached', 'input_cache_read', 'cache_read', 'cached'],
  cacheWrite: [
    'prompt_details.cache_write',
    'input_cache_creation',
    'input_cache_write',
    'cache_creation',
    'cache_write',
  ],
  thinking: ['completion_details.reasoning', 'output_reasoning', 'reasoning', 'thinking'],
  audioInput: ['prompt_details.audio', 'input_audio'],
  audioOutput: ['completion_details.audio', 'output_audio'],
};

const ALL = spelled((count) => [...NAMES[count], ...(SHORT_NAMES[count] ?? [])]);
const SPEAKING = spelled((count) => NAMES[count]);

/** Attributes in which a convention may keep a count, its own names first. */
export function sourcesOf(count: Count, words: UsageWords): Source[] {
  return [
    ...(words.counts?.[count] ?? []),
    ...(words.prefixes ?? []).flatMap((prefix) => ALL[count].flatMap((name) => below(prefix, name))),
    ...(words.objects ?? []).flatMap((object) => ALL[count].map((name) => inside(object, name))),
    ...(words.mixedPrefixes ?? []).flatMap((prefix) => SPEAKING[count].flatMap((name) => below(prefix, name))),
  ];
}

/** The names in snake_case by what they count, for the reference. */
export function countNames(): [what: string, names: string[]][] {
  return Object.entries(NAMES).map(([count, names]) => [count, [...names, ...(SHORT_NAMES[count as Count] ?? [])]]);
}

/** Paths of a count inside an object of counts. */
export function pathsOf(count: Count): readonly (readonly string[])[] {
  return PATHS[count];
}

/** A separate attribute, or a member of one that holds an object. */
function below(prefix: string, name: string): Source[] {
  const [first, ...rest] = name.split('.');
  return rest.length === 0 ? [prefix + name] : [prefix + name, [prefix + first!, ...rest]];
}

function inside(object: Source, name: string): Source {
  const path = typeof object === 'string' ? ([object] as const) : object;
  return [path[0], ...path.slice(1), ...name.split('.')];
}

/** Every name in snake_case and in camelCase. */
function spelled(namesOf: (count: Count) => string[]): Readonly<Record<Count, string[]>> {
  const counts = Object.keys(NAMES) as Count[];
  const entries = counts.map((count) => {
    const names = namesOf(count);
    return [count, [...new Set([...names, ...names.map(toCamelCase)])]];
  });
  return Object.fromEntries(entries) as Record<Count, string[]>;
}

const PATHS = Object.fromEntries(
  Object.entries(ALL).map(([count, names]) => [count, names.map((name) => name.split('.'))]),
) as Record<Count, string[][]>;
