import { TextField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compilePattern, MAX_PATTERN } from '../platform/sandbox/expressions/pattern.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';

class RegexConfig {
  @SourceColumn({ description: 'The column to search, by title or id.' })
  source: JsonValue;

  @TextField({
    maxLength: MAX_PATTERN,
    description: 'A regular expression in Python syntax, without lookaround and backreferences.',
    example: '(?i)refund',
  })
  regex_pattern: string;
}

@ColumnType({
  name: 'REGEX',
  title: 'Matches a pattern',
  description: 'True where the pattern matches anywhere in the source.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: RegexConfig,
  olderKeys: { pattern: 'regex_pattern' },
})
export class RegexColumnType implements ComputingColumnType<RegexConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ regex_pattern }: RegexConfig): void {
    compilePattern(regex_pattern);
  }

  computeMany(configs: RegexConfig[]): Promise<CellOutcome[]> {
    const options = { pattern: configs[0]!.regex_pattern };
    return evaluateTexts(
      this.isolation,
      { name: 'search', options },
      configs.map(({ source }) => [source]),
    );
  }
}
