import { z } from 'zod';
import { SchemaField } from '../platform/http/schema-field.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { asJson, asText } from '../grid/column-type/values.js';

/** JSON of any kind. z.json() does not accept integers beyond 2^53. */
const jsonValue = z.unknown().refine((value) => value !== undefined);

const constant = z.looseObject({
  type: z.enum(['string', 'json']).describe('Whether the value is a text, or JSON. A text is read as JSON for `json`.'),
  value: jsonValue.describe('The value of every cell.'),
});

class VariableConfig {
  @SchemaField(constant, { description: 'The value of every cell.', example: { type: 'string', value: 'en' } })
  value: { type: 'string' | 'json'; value: JsonValue };
}

@ColumnType({
  name: 'VARIABLE',
  title: 'Constant',
  description: 'The same value in every row.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: VariableConfig,
  normalize: withType,
})
export class VariableColumnType implements ComputingColumnType<VariableConfig> {
  check(config: VariableConfig): void {
    this.compute(config);
  }

  compute({ value: { type, value } }: VariableConfig): JsonValue {
    return type === 'json' ? asJson(value) : asText(value);
  }
}

/** Earlier configs had the bare value, and its type beside it. */
function withType({ value_type, ...config }: JsonObject): JsonObject {
  const { value } = config;
  const isTyped = isObject(value) && typeof value.type === 'string' && 'value' in value;
  if (value === undefined || value === null || (isTyped && value_type === undefined)) return config;
  const type =
    typeof value_type === 'string' ? value_type.toLowerCase() : typeof value === 'string' ? 'string' : 'json';
  return { ...config, value: { type, value } };
}
