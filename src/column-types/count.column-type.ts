import { EnumField, IntegerField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asText } from '../grid/column-type/values.js';

const UNITS = ['chars', 'characters', 'words', 'sentences', 'paragraphs'] as const;
type Unit = (typeof UNITS)[number];

class CountConfig {
  @SourceColumn({ description: 'The column whose text is counted, by title or id.' })
  source: JsonValue;

  @EnumField(UNITS, { description: 'The unit to count. `characters` is another word for `chars`.', example: 'words' })
  type: Unit;

  @IntegerField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 0,
    description: 'The smallest count that passes. With a bound cells hold true or false instead of the count.',
  })
  min_count?: number | null;

  @IntegerField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 0,
    description: 'The largest count that passes. With a bound cells hold true or false instead of the count.',
  })
  max_count?: number | null;
}

const COUNTERS: Record<Unit, (text: string) => number> = {
  chars: countCodePoints,
  characters: countCodePoints,
  words: countWords,
  sentences: countSentences,
  paragraphs: (text) => text.split(/\r?\n(?:[ \t]*\r?\n)+/).filter((part) => part.trim() !== '').length,
};

@ColumnType({
  name: 'COUNT',
  title: 'Count',
  description:
    'How many characters, words, sentences or paragraphs the source has, or whether that many are within bounds.',
  kind: 'deterministic',
  group: 'compute',
  output: 'number',
  config: CountConfig,
  olderKeys: { count_type: 'type' },
})
export class CountColumnType implements ComputingColumnType<CountConfig> {
  check({ min_count, max_count }: CountConfig): void {
    if (min_count != null && max_count != null && min_count > max_count) {
      throw new Error('min_count is larger than max_count.');
    }
  }

  compute({ source, type, min_count = null, max_count = null }: CountConfig): number | boolean {
    const count = COUNTERS[type](asText(source));
    if (min_count === null && max_count === null) return count;
    return count >= (min_count ?? 0) && count <= (max_count ?? Infinity);
  }

  explain({ source, type }: CountConfig): JsonObject {
    return { count: COUNTERS[type](asText(source)) };
  }
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    // Two surrogates are one character.
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/**
 * Counts sentences by the rules of Unicode, in which "3.50" and "v2.0" end no sentence. A line of punctuation alone is
 * no sentence.
 */
function countSentences(text: string): number {
  let count = 0;
  for (const { segment } of SENTENCES.segment(text)) if (SAYS_SOMETHING.test(segment)) count++;
  return count;
}

const BLANK = /\s/;

/** Counts runs of non-blank characters without making a text of each. */
function countWords(text: string): number {
  let count = 0;
  let inWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isBlank = code < 0x80 ? code === 32 || (code >= 9 && code <= 13) : BLANK.test(text[at]!);
    if (!isBlank && !inWord) count++;
    inWord = !isBlank;
  }
  return count;
}
