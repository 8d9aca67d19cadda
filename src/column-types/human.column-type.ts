import { z } from 'zod';
import { EnumField } from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';

const element = z.looseObject({
  type: z.string().min(1).max(100).describe('The kind of control, such as `slider`, `number` or `text`.'),
  min: z.number().nullish().describe('The smallest number that is accepted. Ignored for texts.'),
  max: z.number().nullish().describe('The largest number that is accepted. Ignored for texts.'),
});

class HumanConfig {
  @EnumField(['number', 'string'], { description: 'The type of the answers: numbers or texts.' })
  data_type: 'number' | 'string';

  @SchemaField(element, {
    description: 'How people answer: the kind of control and what it takes, such as `min` and `max`.',
    example: { type: 'slider', min: 1, max: 5 },
  })
  ui_element: z.infer<typeof element>;
}

@ColumnType({
  name: 'HUMAN',
  title: 'Human input',
  description: 'Cells that wait for the answer of a person.',
  kind: 'manual',
  group: 'people',
  output: 'json',
  config: HumanConfig,
  normalize: fromInputType,
})
export class HumanColumnType implements ComputingColumnType<HumanConfig> {
  check({ data_type, ui_element: { min, max } }: HumanConfig): void {
    if (data_type === 'number' && min != null && max != null && min > max) throw new Error('min is larger than max.');
  }

  /** null clears the answer. */
  accept({ data_type, ui_element }: HumanConfig, value: JsonValue): JsonValue {
    if (value === null) return null;
    if (data_type === 'string') {
      if (typeof value !== 'string') throw new Error('The answer should be a text.');
      return value;
    }
    if (typeof value !== 'number' && typeof value !== 'bigint') throw new Error('The answer should be a number.');
    const { min, max } = ui_element;
    if (min != null && value < min) throw new Error(`The answer should be ${min} or more.`);
    if (max != null && value > max) throw new Error(`The answer should be ${max} or less.`);
    return value;
  }
}

/** Earlier configs had `input_type` and the limits beside it. */
function fromInputType({ input_type, prompt, min, max, ...config }: JsonObject): JsonObject {
  if (input_type === undefined) return config;
  const data_type = input_type === 'numeric' ? 'number' : input_type === 'text' ? 'string' : input_type;
  const limits = Object.fromEntries(Object.entries({ prompt, min, max }).filter(([, value]) => value !== undefined));
  const given = isObject(config.ui_element) ? config.ui_element : {};
  const type = data_type === 'number' ? 'number' : 'text';
  return { data_type, ...config, ui_element: { type, ...limits, ...given } as JsonObject };
}
