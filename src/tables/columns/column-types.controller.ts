import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { jsonSchemaOf } from '../../platform/http/field.js';
import { BooleanField, EnumField, JsonObjectField, ListField, TextField } from '../../platform/http/fields.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import {
  COLUMN_GROUPS,
  type ColumnTypeOptions,
  ColumnTypes,
  groupOf,
  hasVerdicts,
  type RegisteredColumnType,
} from '../../grid/column-type/column-type.js';
import { COLUMN_KINDS, rulesOf } from '../../grid/column-type/kinds.js';
import { isCreatable } from '../../grid/columns/creatable-type.js';
import { sourceFields } from '../../grid/column-type/source-fields.js';

class ColumnTypeBody {
  @TextField({ description: 'The name of the type, for `type` when a column is added.', example: 'CONTAINS' })
  type: string;

  @TextField({ description: 'Name of the type for people.' })
  title: string;

  @TextField({ description: 'The content of a cell of this type, in a sentence.' })
  description: string;

  @EnumField(COLUMN_KINDS, {
    description:
      'Where values come from: people who write (`input`) or answer (`manual`), an import (`imported`), a column of another sheet (`reference`), the server alone (`deterministic`), a model or another service (`external`), a measurement of another column (`metadata`), or one value for all rows (`aggregate`, steps of scorecards only).',
  })
  kind: string;

  @EnumField(COLUMN_GROUPS, {
    description:
      'The purpose of the column: asking a model (`ask`), checking values (`check`), computing them (`compute`), calling services or other sheets (`outside`), or work of people (`people`). A type of an extension that declares no group gets one by its kind.',
  })
  group: string;

  @EnumField(['text', 'boolean', 'number', 'json'], {
    description: 'The type of the values. `json` means any JSON value.',
  })
  output: string;

  @BooleanField({
    description:
      'Whether the cells say yes or no, as booleans or as judgements by question. Filters of rows ask for it by `cell_verdict`.',
  })
  verdicts: boolean;

  @BooleanField({ description: 'Whether the server computes the cells.' })
  computed: boolean;

  @BooleanField({ description: 'Whether such columns can be added to sheets. The server adds all others itself.' })
  creatable: boolean;

  @EnumField(['value', 'answer', 'text'], {
    nullable: true,
    description:
      'The kind of edit that its cells accept: any value (`value`), an answer that the type accepts (`answer`), or only the text that is shown (`text`); null for none.',
  })
  edits: string | null;

  @ListField('string', { description: 'Keys of the config that name columns.' })
  source_keys: string[];

  @ListField('string', { description: 'Other names that `type` accepts for it. Returns always have the main name.' })
  aliases: string[];

  @JsonObjectField({
    description:
      'JSON Schema of the config, with descriptions of its keys. For forms: `x-order` is the place of a key, `x-advanced` marks keys that few columns need, and `x-picker` says what the value is picked from (`columns`, `prompts`, `models`, `tools`, `labels`, `workflows`). `x-template` marks texts that name columns as `{name}`, with the key that lists or maps them.',
  })
  config_schema: JsonObject;

  @JsonObjectField({
    nullable: true,
    like: 'CreateColumnRequest',
    description: 'A body that adds such a column; null for types without one.',
  })
  example: JsonObject | null;
}

class ColumnTypesResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [ColumnTypeBody], description: 'All types, sorted by name.' })
  column_types: ColumnTypeBody[];
}

@ApiTags('Columns')
@Controller('api/public/v2/column-types')
export class ColumnTypesController {
  constructor(private readonly types: ColumnTypes) {}

  @Get()
  @ApiOperation({
    summary: 'List the column types.',
    description:
      'Lists every type with the JSON Schema of its config and, where there is one, a body that adds such a column. It includes the types that extensions of this server have added, and those that only the server creates (`creatable: false`).',
  })
  @ApiOkResponse({ type: ColumnTypesResponse })
  list(): ColumnTypesResponse {
    return { success: true, column_types: this.types.list().map(toBody) };
  }
}

function toBody(type: RegisteredColumnType): ColumnTypeBody {
  const { options } = type;
  const { computes, edits } = rulesOf(options.kind);
  return {
    type: options.name,
    title: options.title,
    description: options.description,
    kind: options.kind,
    group: groupOf(options),
    output: options.output,
    verdicts: hasVerdicts(options),
    computed: computes,
    creatable: isCreatable(type),
    edits,
    source_keys: sourceFields(options.config).map((field) => field.key),
    aliases: options.aliases ?? [],
    config_schema: jsonSchemaOf(options.config),
    example: exampleOf(options),
  };
}

/** Made of the examples of the fields; null where a field that is required has none. */
function exampleOf({ name, title, kind, config }: ColumnTypeOptions): JsonObject | null {
  const { properties, required } = jsonSchemaOf(config) as { properties: JsonObject; required: string[] };
  // Every source has the same example; those that may be left out often exclude something else.
  const spare = sourceFields(config).flatMap(({ key }) => (required.includes(key) ? [] : key));
  const examples = Object.entries(properties).flatMap(([key, field]): [string, JsonValue][] => {
    const [example] = (field as { examples?: JsonValue[] }).examples ?? [];
    return example === undefined || spare.includes(key) ? [] : [[key, example]];
  });
  const given = Object.fromEntries(examples);
  const isWhole = rulesOf(kind).creatable && required.every((key) => key in given);
  return isWhole ? { title, type: name, config: given } : null;
}
