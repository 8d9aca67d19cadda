import { JsonObjectField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { checkJsonSchema } from '../platform/sandbox/expressions/json-schema.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asJson } from '../grid/column-type/values.js';
import { evaluateTexts } from './evaluate-texts.js';

class StructureConfig {
  @SourceColumn({ description: 'The column to check, by title or id. Texts are read as JSON.' })
  source: JsonValue;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description:
      'A JSON Schema (draft 6 to 2020-12) that refers to its own parts alone. Patterns are those of REGEX. Left out, any JSON will do.',
    example: { type: 'object', required: ['answer'] },
  })
  schema?: JsonObject | null;
}

@ColumnType({
  name: 'STRUCTURE',
  title: 'Has a structure',
  description: 'Whether the source is JSON, and fits a JSON Schema.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: StructureConfig,
  normalize: withReadSchema,
})
export class StructureColumnType implements ComputingColumnType<StructureConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ schema }: StructureConfig): void {
    if (schema) checkJsonSchema(schema);
  }

  async computeMany(configs: StructureConfig[]): Promise<CellOutcome[]> {
    const found = await this.problems(configs);
    return found.map((outcome) => ('error' in outcome ? outcome : { value: (outcome.value as []).length === 0 }));
  }

  async explain(config: StructureConfig, _inputs: unknown, result: JsonValue): Promise<JsonValue> {
    if (result !== false) return null;
    const [found] = await this.problems([config]);
    return 'error' in found! ? null : { problems: found!.value };
  }

  /** Lists the problems of each source, in sentences. */
  private problems(configs: StructureConfig[]): Promise<CellOutcome[]> {
    const evaluation = { name: 'json_schema', options: { schema: configs[0]!.schema ?? null } } as const;
    const rows = configs.map(({ source }) => [source]);
    return evaluateTexts(this.isolation, evaluation, rows);
  }
}

/** A schema may be given as JSON text. */
function withReadSchema(config: JsonObject): JsonObject {
  if (typeof config.schema !== 'string') return config;
  try {
    return { ...config, schema: asJson(config.schema) };
  } catch {
    return config;
  }
}
