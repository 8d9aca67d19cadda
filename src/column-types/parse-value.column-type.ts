import { EnumField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { CellFailure, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asJson, asText, excerpt, isContainer, requireBoolean, requireNumber } from '../grid/column-type/values.js';
import { withKnownType } from './known-type.js';

const TYPES = ['string', 'number', 'boolean', 'object'] as const;

class ParseValueConfig {
  @SourceColumn({ description: 'The column to parse, by title or id.' })
  source: JsonValue;

  @EnumField(TYPES, { description: 'The type to convert the source to; `json` is another word for `object`.' })
  type: (typeof TYPES)[number];
}

const CASTS: Record<(typeof TYPES)[number], (source: JsonValue) => JsonValue> = {
  string: asText,
  number: (source) => requireNumber(source, 'The source'),
  boolean: (source) => requireBoolean(source, 'The source'),
  object: toContainer,
};

@ColumnType({
  name: 'PARSE_VALUE',
  title: 'Parse a value',
  description: 'The source as text, as a number, as true or false, or as a JSON object or list.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: ParseValueConfig,
  olderKeys: { target_type: 'type' },
  normalize: withKnownType,
})
export class ParseValueColumnType implements ComputingColumnType<ParseValueConfig> {
  compute({ source, type }: ParseValueConfig): JsonValue {
    return CASTS[type](source);
  }
}

function toContainer(source: JsonValue): JsonValue {
  const value = asJson(source, isContainer);
  if (isContainer(value)) return value;
  throw new CellFailure(`The source is no JSON object or list: ${excerpt(source)}.`);
}
