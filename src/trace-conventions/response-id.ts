import { type SpanAttributes, toTexts } from './attributes.js';
import { type Words, wordsOf } from './words.js';

const responseIds = ({ responseIds: keys }: Words): string[] | undefined => keys;
const outputs = ({ values }: Words): string[] | undefined => values?.output;

/** Longer texts are not ids, and are too long for the index. */
const MAX_LENGTH = 200;

/** The beginning of an answer of a vendor that a span repeats as it came: the id of a completion, a response or a message. */
const RAW_ANSWER = /^\s*\{\s*"id"\s*:\s*"((?:chatcmpl-|cmpl-|resp_|msg_|gen-)[\w-]{12,180})"/;

/** The id that the model's service gave its answer; null when the span has none. */
export function readResponseId(attributes: SpanAttributes): string | null {
  for (const key of attributes.present(wordsOf(responseIds))) {
    const [id] = toTexts(attributes.get(key));
    if (id !== undefined && id.length <= MAX_LENGTH) return id;
  }
  for (const key of attributes.present(wordsOf(outputs))) {
    const id = RAW_ANSWER.exec(attributes.text(key) ?? '')?.[1];
    if (id !== undefined) return id;
  }
  return null;
}
