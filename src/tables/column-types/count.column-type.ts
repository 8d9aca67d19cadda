import { EnumField, IntegerField } from '../../platform/http/fields.js';
import type { JsonValue } from '../../platform/json.js';
import { ColumnType, type ComputingColumnType } from './column-type.js';
import { SourceColumn } from './source-fields.js';
import { asText } from './values.js';

const UNITS = ['chars', 'characters', 'words', 'sentences', 'paragraphs'] as const;
type Unit = (typeof UNITS)[number];

class CountConfig {
  @SourceColumn()
  source: JsonValue;

  @EnumField(UNITS, { description: 'What is counted.', example: 'words' })
  type: Unit;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    description: 'With a bound the cell says whether the count is within bounds.',
  })
  min_count?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 0 })
  max_count?: number | null;
}

const COUNTERS: Record<Unit, (text: string) => number> = {
  chars: countCodePoints,
  characters: countCodePoints,
  words: (text) => text.match(/\S+/g)?.length ?? 0,
  // A run of text that something other than blank and end marks makes up; the last needs no mark.
  sentences: (text) => text.split(/[.!?]+/).filter((part) => part.trim() !== '').length,
  paragraphs: (text) => text.split(/\r?\n(?:[ \t]*\r?\n)+/).filter((part) => part.trim() !== '').length,
};

@ColumnType({
  name: 'COUNT',
  title: 'Count',
  description:
    'How many characters, words, sentences or paragraphs the source has, or whether that many are within bounds.',
  kind: 'deterministic',
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
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
