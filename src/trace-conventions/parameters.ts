import { withoutCredentials } from '../platform/credentials.js';
import { isObject, type JsonObject, type JsonValue, setOwn } from '../platform/json.js';
import { type SpanAttributes, toNumber } from './attributes.js';
import { declaredWords, derivedFromWords, type Words, wordsOf } from './words.js';

/** The attributes of each parameter, best source first. */
const NAMED = derivedFromWords(() =>
  declaredWords().flatMap(({ words }) => Object.entries(words.parameters?.named ?? {})),
);
const prefixWords = ({ parameters }: Words): string[] | undefined => parameters?.prefixes;
const objectWords = ({ parameters }: Words): string[] | undefined => parameters?.objects;

/** Parameters that are texts. All others are numbers and booleans, which some SDKs send as texts. */
const TEXTS = new Set(['stop_sequences', 'encoding_formats', 'output_type', 'service_tier', 'reasoning_effort']);

/** Members of a request that are no parameters. */
const NO_PARAMETERS = new Set(['model', 'messages', 'input', 'contents', 'tools', 'functions', 'function_tools']);

/** Names that differ in more than their spelling. */
const OTHER_NAMES = new Map([['max_output_tokens', 'max_tokens']]);

/** The parameters of the request by their names in snake_case, without the prefixes of the convention. */
export function readParameters(attributes: SpanAttributes): JsonObject {
  const parameters: JsonObject = {};
  const add = (name: string, value: JsonValue | undefined): void => {
    if (value === undefined || value === null || value === '') return;
    if (!NO_PARAMETERS.has(name) && !Object.hasOwn(parameters, name)) setOwn(parameters, name, value);
  };
  for (const [name, keys] of attributes.among(NAMED(), ([, keys]) => keys)) {
    const key = keys.find((candidate) => attributes.has(candidate));
    if (key !== undefined) add(name, fromText(name, attributes.json(key)));
  }
  for (const prefix of wordsOf(prefixWords)) {
    for (const [name] of attributes.below(prefix)) add(parameterName(name), attributes.json(prefix + name));
  }
  for (const key of attributes.present(wordsOf(objectWords))) {
    const object = withoutCredentials(attributes.json(key) ?? null);
    if (isObject(object)) for (const [name, value] of Object.entries(object)) add(parameterName(name), value);
  }
  return parameters;
}

/** Converts a parameter that was sent as text. */
function fromText(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string' || TEXTS.has(name)) return value;
  if (/^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return toNumber(value) ?? value;
}

/** `maxOutputTokens` is `max_tokens`. */
function parameterName(name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return OTHER_NAMES.get(snake) ?? snake;
}
