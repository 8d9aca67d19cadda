import { type Decimal, toExactNumber } from '../platform/decimals.js';
import { EnumField, TextField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compileJsonPath, MAX_PATH } from '../platform/sandbox/expressions/json-path.js';
import {
  CellFailure,
  type CellOutcome,
  ColumnType,
  type ComputingColumnType,
} from '../grid/column-type/column-type.js';
import { attempt, evaluateTexts } from './evaluate-texts.js';
import { COMPARISONS } from './exact-arithmetic.js';
import { SourceColumn, SourceColumns } from '../grid/column-type/source-fields.js';
import { asDecimal, asJson, type ExactNumber, isTooLarge } from '../grid/column-type/values.js';

class MinMaxConfig {
  @SourceColumn({ optional: true, description: 'A column that holds a number or a list of numbers.' })
  source?: JsonValue;

  @SourceColumns({
    advanced: true,
    optional: true,
    nullable: true,
    minItems: 1,
    description: 'Several such columns instead of one.',
  })
  sources?: JsonValue[] | null;

  @EnumField(['min', 'max'], { description: 'Whether to take the smallest or the largest number.' })
  type: 'min' | 'max';

  @TextField({
    advanced: true,
    optional: true,
    nullable: true,
    maxLength: MAX_PATH,
    description: 'A JSONPath to the numbers.',
  })
  json_path?: string | null;
}

@ColumnType({
  name: 'MIN_MAX',
  title: 'Smallest or largest',
  description: 'The smallest or largest number in a list, at a JSONPath, or of several columns.',
  kind: 'deterministic',
  group: 'compute',
  output: 'number',
  config: MinMaxConfig,
  revision: 2,
  olderKeys: { operation: 'type' },
})
export class MinMaxColumnType implements ComputingColumnType<MinMaxConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ source, sources, json_path }: MinMaxConfig): void {
    if (!source && !sources?.length) throw new Error('give a source, or several as sources.');
    if (json_path) compileJsonPath(json_path);
  }

  async computeMany(configs: MinMaxConfig[]): Promise<CellOutcome[]> {
    const { json_path, type } = configs[0]!;
    const rows = configs.map(({ source, sources }) => (sources?.length ? sources : [source ?? null]));
    if (!json_path) return rows.map((values) => attempt(() => extreme(type, values.map(looseJson))));
    const options = { path: json_path, first: false };
    const columns = rows[0]!.map((_, at) => rows.map((values) => [values[at]]));
    const found = await Promise.all(
      columns.map((column) => evaluateTexts(this.isolation, { name: 'json_path', options }, column)),
    );
    return rows.map((_, row) => {
      const outcomes = found.map((column) => column[row]!);
      const failed = outcomes.find((outcome) => 'error' in outcome);
      return (
        failed ??
        attempt(() =>
          extreme(
            type,
            outcomes.map((outcome) => (outcome as { value: JsonValue }).value),
          ),
        )
      );
    });
  }
}

/** A number in a text need not be JSON: "+5" and " 5" are numbers too. */
function looseJson(value: JsonValue): JsonValue {
  return asDecimal(value) ? value : asJson(value);
}

/** Finds numbers in lists of any depth; other values do not count. */
function extreme(type: 'min' | 'max', values: JsonValue[]): ExactNumber {
  const wins = type === 'min' ? COMPARISONS.lt : COMPARISONS.gt;
  const found: { number: Decimal | null } = { number: null };
  visit(values, (number) => {
    if (!found.number || wins(number, found.number)) found.number = number;
  });
  const { number } = found;
  if (!number) throw new CellFailure('There is no number in the source.');
  return toExactNumber(number);
}

function visit(value: JsonValue, see: (number: Decimal) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, see);
    return;
  }
  const number = asDecimal(value);
  if (number) see(number);
  else if (isTooLarge(value)) throw new CellFailure('A number in the source is too large.');
}
