import { scalarText } from '../../platform/json-paths.js';
import { readableJson } from '../../llm/messages/readable-json.js';
import { type JsonValue } from '../../platform/json.js';

/**
 * The texts of an attribute's value that filters compare: its own, or those in its list, and JSON in them also in
 * readable form. Objects have none.
 */
export function scalarsOf(value: JsonValue): string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => (item === null || typeof item === 'object' ? [] : withReadable(scalarText(item))));
}

function withReadable(text: string): string[] {
  const readable = readableJson(text);
  return readable === text ? [text] : [text, readable];
}
