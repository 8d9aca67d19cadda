import { setOwn, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';
import { toText, truncate } from '../llm/messages/json-text.js';
import { declaredWords, derivedFromWords, rankedKeys } from './words.js';

const MAX_KEY = 1024;

const USER = rankedKeys(({ user }) => user);
const CONVERSATION = rankedKeys(({ conversation }) => conversation);

/** Attributes in which conventions keep metadata; later ones override earlier ones. */
const METADATA = derivedFromWords(() =>
  declaredWords()
    .flatMap(({ words }) => words.metadata ?? [])
    .sort((a, b) => a.strength - b.strength),
);

const OWN_PREFIX = 'promptlayer.metadata.';

/** The metadata of the log that a span becomes: each source below overrides the ones above it. */
export function readMetadata(attributes: SpanAttributes): Record<string, string> {
  const metadata: Record<string, string> = {};
  const put = (key: string, value: JsonValue): void => {
    if (value !== null && value !== '') setOwn(metadata, truncate(key, MAX_KEY), toText(value));
  };
  for (const { prefix, object } of METADATA()) {
    const held = object === undefined ? [] : Object.entries(attributes.object(object));
    for (const [key, value] of prefix === undefined ? held : attributes.below(prefix)) put(key, value);
  }
  put('user_id', attributes.firstText(USER()));
  put('conversation_id', attributes.firstText(CONVERSATION()));
  for (const [key, value] of attributes.below(OWN_PREFIX)) put(key, value);
  return metadata;
}
