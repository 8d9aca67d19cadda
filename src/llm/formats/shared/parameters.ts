import type { JsonObject, JsonValue } from '../../../platform/json.js';

/** Meaning of a model's parameter, whatever its name. */
export type ParameterConcept =
  | 'maxTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'stop'
  | 'seed'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'responseFormat'
  | 'reasoningEffort'
  | 'parallelToolCalls'
  | 'choices'
  | 'user'
  | 'stream';

/** A vendor's names of the concepts it supports. Parameters are translated to the first name of a concept. */
export type ParameterNames = Partial<Record<ParameterConcept, readonly [string, ...string[]]>>;

/** Every spelling in snake_case; the camelCase form of each counts as well. */
const SPELLINGS: Readonly<Record<ParameterConcept, string[]>> = {
  maxTokens: ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens', 'max_tokens_to_sample'],
  temperature: ['temperature'],
  topP: ['top_p', 'p'],
  topK: ['top_k', 'k'],
  stop: ['stop', 'stop_sequences'],
  seed: ['seed', 'random_seed'],
  frequencyPenalty: ['frequency_penalty'],
  presencePenalty: ['presence_penalty'],
  responseFormat: ['response_format'],
  reasoningEffort: ['reasoning_effort'],
  parallelToolCalls: ['parallel_tool_calls'],
  choices: ['n', 'candidate_count', 'num_generations', 'choice_count'],
  user: ['user', 'end_user'],
  stream: ['stream'],
};

const CONCEPT_BY_SPELLING = new Map(
  (Object.entries(SPELLINGS) as [ParameterConcept, string[]][]).flatMap(([concept, names]) =>
    names.flatMap((name): [string, ParameterConcept][] => [
      [name, concept],
      [camelCase(name), concept],
    ]),
  ),
);

/** These take a list only; elsewhere a single text will do. */
const LIST_NAMES = new Set(['stop_sequences', 'stopSequences']);

/** The meaning of a parameter; null when it has no counterpart with other vendors. */
export function conceptOf(name: string): ParameterConcept | null {
  return CONCEPT_BY_SPELLING.get(name) ?? null;
}

/** Parameters under the names of a vendor. A parameter without a name there, or of unknown meaning, keeps its own. */
export function adaptNames(names: ParameterNames, parameters: JsonObject): JsonObject {
  return rename(names, parameters, (name) => name);
}

/** Parameters of another vendor under the names of this one. Parameters without a counterpart are dropped. */
export function translateNames(names: ParameterNames, parameters: JsonObject): JsonObject {
  return rename(names, parameters, () => null);
}

/** Stored parameters with others laid over them; one that means the same under another name is replaced, too. */
export function mergeByConcept(stored: JsonObject, overrides: JsonObject): JsonObject {
  const overridden = new Set(Object.keys(overrides).map(conceptOf));
  const kept = Object.entries(stored).filter(([name]) => {
    const concept = conceptOf(name);
    return concept === null || !overridden.has(concept);
  });
  return { ...Object.fromEntries(kept), ...overrides };
}

/** `nameless` gives the name of a parameter that the vendor has no name for; null drops it. */
function rename(names: ParameterNames, parameters: JsonObject, nameless: (name: string) => string | null): JsonObject {
  const renamed = Object.entries(parameters).flatMap(([name, value]): [string, JsonValue][] => {
    const concept = conceptOf(name);
    const own = concept === null ? undefined : names[concept];
    const target = own === undefined ? nameless(name) : own.includes(name) ? name : own[0];
    // The vendor's own spelling takes precedence over a foreign one beside it.
    if (target === null || (target !== name && Object.hasOwn(parameters, target))) return [];
    return [[target, toList(target, value)]];
  });
  return Object.fromEntries(renamed);
}

function toList(name: string, value: JsonValue): JsonValue {
  return LIST_NAMES.has(name) && typeof value === 'string' ? [value] : value;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
