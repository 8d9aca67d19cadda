import type { SpanAttributes } from './attributes.js';
import { toTexts } from './attributes.js';
import { type Words, wordsOf } from './words.js';
import { truncate } from '../llm/messages/json-text.js';

const MAX_TAG = 512;

const tagWords = ({ tags }: Words): string[] | undefined => tags;

/** The tags of the first source that has any, each once. */
export function readTags(attributes: SpanAttributes): string[] {
  for (const key of attributes.present(wordsOf(tagWords))) {
    const value = attributes.get(key);
    if (value === undefined) continue;
    const tags = toTexts(value).map((tag) => truncate(tag, MAX_TAG));
    if (tags.length > 0) return [...new Set(tags)];
  }
  return [];
}
