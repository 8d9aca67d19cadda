import { EnumField, NumberField } from '../platform/http/fields.js';
import type { JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { calculated, COMPARISONS, OPERATIONS } from './exact-arithmetic.js';
import { listSources } from './two-sources.js';
import { type ExactNumber, requireDecimal } from '../grid/column-type/values.js';

const OPERATORS = [...Object.keys(COMPARISONS), ...Object.keys(OPERATIONS)];

class MathOperatorConfig {
  @SourceColumns({ minItems: 1, maxItems: 2, description: 'Two columns of numbers, or one and a `value`.' })
  sources: JsonValue[];

  @EnumField(OPERATORS, { description: 'A comparison, or an operation of arithmetic.', example: 'gt' })
  operator: string;

  @NumberField({ optional: true, nullable: true, description: 'The second number where there is one source only.' })
  value?: number | null;
}

@ColumnType({
  name: 'MATH_OPERATOR',
  title: 'Math',
  description: 'Compares two numbers, or adds, subtracts, multiplies, divides them or raises one to the other.',
  kind: 'deterministic',
  group: 'compute',
  output: 'number',
  config: MathOperatorConfig,
  revision: 2,
  normalize: listSources,
})
export class MathOperatorColumnType implements ComputingColumnType<MathOperatorConfig> {
  check({ sources, value }: MathOperatorConfig): void {
    if (sources.length === 1 && (value ?? null) === null) throw new Error('give two sources, or one and a value.');
  }

  compute({ sources, operator, value }: MathOperatorConfig): ExactNumber | boolean {
    const a = requireDecimal(sources[0], 'The first source');
    const b = requireDecimal(sources.length > 1 ? sources[1] : value, 'The second source');
    const compare = COMPARISONS[operator as keyof typeof COMPARISONS];
    return compare ? compare(a, b) : calculated(() => OPERATIONS[operator as keyof typeof OPERATIONS](a, b));
  }
}
