import { z } from 'zod';
import { JsonField } from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import { isSameName } from '../platform/comparable-text.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compileJsonPath } from '../platform/sandbox/expressions/json-path.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { attempt, evaluateTexts } from './evaluate-texts.js';
import { COMPARISONS } from './exact-arithmetic.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { listSources } from './two-sources.js';
import {
  asJson,
  asNumber,
  asText,
  canonicalJson,
  type ExactNumber,
  requireDecimal,
} from '../grid/column-type/values.js';

const comparison = z.looseObject({
  type: z
    .enum(['STRING', 'JSON', 'NUMBER'])
    .default('STRING')
    .describe('STRING compares texts, JSON values whatever the order of their keys, NUMBER with an operator.'),
  json_path: z.string().nullish().describe('A JSONPath (RFC 9535) to what is compared in both columns.'),
  operator: z
    .enum(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])
    .nullish()
    .describe('How numbers are compared, for NUMBER. By default `eq`.'),
});

class CompareConfig {
  @SourceColumns({ minItems: 1, maxItems: 2, description: 'Two columns, or one and a `target`.' })
  sources: JsonValue[];

  @JsonField({ optional: true, nullable: true, description: 'The fixed value that a single column is compared with.' })
  target?: JsonValue;

  @SchemaField(comparison, {
    advanced: true,
    optional: true,
    description:
      'How values are compared; by default as texts. A text such as `JSON` stands for an object with that `type`.',
  })
  comparison_type?: z.infer<typeof comparison>;
}

/** Whole numbers up to this many digits are exact; longer ones are compared as texts. */
const EXACT_DIGITS = 15;

@ColumnType({
  name: 'COMPARE',
  title: 'Compare',
  description: 'Whether two columns, or a column and a fixed value, are equal: as text, as JSON or as numbers.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: CompareConfig,
  revision: 2,
  aliases: ['COMPARISON'],
  normalize: (config) => withComparison(listSources(config)),
})
export class CompareColumnType implements ComputingColumnType<CompareConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ sources, target, comparison_type }: CompareConfig): void {
    if (sources.length === 1 && target === undefined) throw new Error('give two sources, or one and a target.');
    const path = pathOf(comparison_type);
    if (path) compileJsonPath(path);
  }

  async computeMany(configs: CompareConfig[]): Promise<CellOutcome[]> {
    const path = pathOf(configs[0]?.comparison_type);
    if (!path) return configs.map((config) => attempt(() => compare(config, sidesOf(config))));
    const found = await this.follow(path, configs);
    return configs.map((config, index) => {
      const failed = found.map((side) => side[index]!).find((side) => 'error' in side);
      if (failed) return failed;
      const [first, second] = found.map((side) => (side[index] as { value: JsonValue }).value);
      return attempt(() => compare(config, [first!, found.length === 2 ? second! : config.target!]));
    });
  }

  /** Finds the value at the path in each column. A fixed value is compared without the path. */
  private follow(path: string, configs: CompareConfig[]): Promise<CellOutcome[][]> {
    const evaluation = { name: 'json_path', options: { path, first: true } } as const;
    const sides = configs[0]!.sources.map((_, side) => configs.map(({ sources }) => [sources[side]]));
    return Promise.all(sides.map((rows) => evaluateTexts(this.isolation, evaluation, rows)));
  }
}

function pathOf(comparison_type: CompareConfig['comparison_type']): string | null {
  return (comparison_type?.type === 'JSON' && comparison_type.json_path) || null;
}

function sidesOf({ sources, target }: CompareConfig): [JsonValue, JsonValue] {
  return [sources[0] ?? null, (sources.length > 1 ? sources[1] : target) ?? null];
}

function compare({ comparison_type }: CompareConfig, [a, b]: [JsonValue, JsonValue]): boolean {
  switch (comparison_type?.type) {
    case 'JSON': {
      // The value at a path is already JSON, so a text in it stays a text.
      const read = pathOf(comparison_type) ? (value: JsonValue) => value : asJson;
      return isSameName(canonicalJson(read(a)), canonicalJson(read(b)));
    }
    case 'NUMBER':
      return COMPARISONS[comparison_type.operator ?? 'eq'](
        requireDecimal(a, 'The first'),
        requireDecimal(b, 'The second'),
      );
    default:
      return equalTexts(asText(a), asText(b));
  }
}

function equalTexts(a: string, b: string): boolean {
  if (isSameName(a, b)) return true;
  const [first, second] = [exactNumber(a), exactNumber(b)];
  return first !== null && first === second;
}

function exactNumber(text: string): ExactNumber | null {
  if (text.length > 2 * EXACT_DIGITS || text !== text.trim() || text.replace(/\D/g, '').length > EXACT_DIGITS)
    return null;
  return asNumber(text);
}

/** A comparison may be given by its name alone, in any letter case. */
function withComparison(config: JsonObject): JsonObject {
  const { comparison_type: given } = config;
  if (typeof given === 'string') return { ...config, comparison_type: { type: given.toUpperCase() } };
  if (given === null) return { ...config, comparison_type: {} };
  if (typeof given !== 'object' || given === undefined || Array.isArray(given)) return config;
  const type = typeof given.type === 'string' ? given.type.toUpperCase() : given.type;
  return { ...config, comparison_type: { ...given, ...(type !== undefined && { type }) } };
}
