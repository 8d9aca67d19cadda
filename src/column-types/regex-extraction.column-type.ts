import { IntegerField, TextField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compilePattern, groupCount, MAX_PATTERN } from '../platform/sandbox/expressions/pattern.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';

class RegexExtractionConfig {
  @SourceColumn({ description: 'The column to search, by title or id.' })
  source: JsonValue;

  @TextField({
    maxLength: MAX_PATTERN,
    description: 'A regular expression in Python syntax, without lookaround and backreferences.',
    example: '#(\\d+)',
  })
  regex_pattern: string;

  @IntegerField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 0,
    description: 'The number of the only group to take from each match; 0 is the whole match.',
  })
  group?: number | null;
}

@ColumnType({
  name: 'REGEX_EXTRACTION',
  title: 'Extract by pattern',
  description: 'All matches in a list: the match, its group where the pattern has one, a list where it has several.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: RegexExtractionConfig,
  olderKeys: { pattern: 'regex_pattern' },
})
export class RegexExtractionColumnType implements ComputingColumnType<RegexExtractionConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ regex_pattern, group }: RegexExtractionConfig): void {
    const groups = groupCount(compilePattern(regex_pattern));
    if ((group ?? 0) > groups) throw new Error(`the pattern has no group ${group}; it has ${groups}.`);
  }

  computeMany(configs: RegexExtractionConfig[]): Promise<CellOutcome[]> {
    const { regex_pattern, group = null } = configs[0]!;
    const options = { pattern: regex_pattern, group };
    return evaluateTexts(
      this.isolation,
      { name: 'find_all', options },
      configs.map(({ source }) => [source]),
    );
  }
}
