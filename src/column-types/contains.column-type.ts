import { BooleanField, TextField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { comparableText } from '../platform/comparable-text.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { containsText } from './contains-text.js';
import { asText } from '../grid/column-type/values.js';

class ContainsConfig {
  @SourceColumn({ description: 'The column to search, by title or id.' })
  source: JsonValue;

  @TextField({ optional: true, nullable: true, description: 'The text to look for.', example: 'refund' })
  value?: string | null;

  @SourceColumn({
    advanced: true,
    optional: true,
    nullable: true,
    description: 'A column that holds the text to look for; wins over `value`.',
  })
  value_source?: JsonValue;

  @BooleanField({ advanced: true, optional: true, default: false, description: 'Whether upper and lower case differ.' })
  case_sensitive?: boolean;
}

@ColumnType({
  name: 'CONTAINS',
  title: 'Contains text',
  description: 'True where the source contains a text. The empty text is contained everywhere.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: ContainsConfig,
})
export class ContainsColumnType implements ComputingColumnType<ContainsConfig> {
  check({ value, value_source }: ContainsConfig): void {
    if ((value ?? (value_source || null)) === null)
      throw new Error('give the text to look for as value, or as value_source.');
  }

  compute(config: ContainsConfig): boolean {
    const needle = asText(config.value_source === undefined ? config.value : config.value_source);
    const text = asText(config.source);
    if (config.case_sensitive) return containsText(text.normalize('NFC'), needle.normalize('NFC'));
    return containsText(comparableText(text).toLowerCase(), comparableText(needle).toLowerCase());
  }
}
