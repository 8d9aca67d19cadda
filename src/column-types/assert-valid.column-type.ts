import { isEmail } from 'class-validator';
import { EnumField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { parseStrictJson } from '../platform/sandbox/expressions/json-path.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asNumber, isContainer } from '../grid/column-type/values.js';
import { withKnownType } from './known-type.js';

const KINDS = ['object', 'number', 'sql', 'email', 'xml'] as const;

class AssertValidConfig {
  @SourceColumn({ description: 'The column to check, by title or id.' })
  source: JsonValue;

  @EnumField(KINDS, { description: 'The expected format of the source; `json` is another word for `object`.' })
  type: (typeof KINDS)[number];
}

@ColumnType({
  name: 'ASSERT_VALID',
  title: 'Is valid',
  description: 'Whether the source is JSON (an object or a list), a number, SQL, an e-mail address or XML.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: AssertValidConfig,
  olderKeys: { validation_type: 'type' },
  normalize: withKnownType,
})
export class AssertValidColumnType implements ComputingColumnType<AssertValidConfig> {
  constructor(private readonly isolation: Isolation) {}

  async computeMany(configs: AssertValidConfig[]): Promise<CellOutcome[]> {
    const { type } = configs[0]!;
    const rows = configs.map(({ source }) => [source]);
    if (type === 'sql') return evaluateTexts(this.isolation, { name: 'is_sql', options: {} }, rows);
    if (type === 'xml') return evaluateTexts(this.isolation, { name: 'is_xml', options: {} }, rows);
    return configs.map(({ source }) => ({ value: CHECKS[type](source) }));
  }
}

/** Upper limit of the length of an address, with surrounding blanks. */
const MAX_EMAIL = 1_000;

const CHECKS: Record<'object' | 'number' | 'email', (source: JsonValue) => boolean> = {
  object: isJsonContainer,
  number: (source) => asNumber(source) !== null,
  email: (source) => typeof source === 'string' && source.length <= MAX_EMAIL && isEmail(source.trim()),
};

/** Strict: JSON that only a lenient parser accepts is not valid. */
function isJsonContainer(source: JsonValue): boolean {
  if (typeof source !== 'string') return isContainer(source);
  try {
    return isContainer(parseStrictJson(source));
  } catch {
    return false;
  }
}
