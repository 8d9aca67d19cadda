import { EnumField, NumberField } from '../../platform/http/fields.js';
import type { JsonValue } from '../../platform/json.js';
import { CellFailure, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { COMPARISONS, exactly } from './exact-arithmetic.js';
import { listSources } from './two-sources.js';
import { type ExactNumber, requireNumber } from '../grid/column-type/values.js';

const OPERATORS: Record<string, (a: ExactNumber, b: ExactNumber) => ExactNumber | boolean> = {
  ...COMPARISONS,
  '+': exactly({ integers: (a, b) => a + b, numbers: (a, b) => a + b }),
  '-': exactly({ integers: (a, b) => a - b, numbers: (a, b) => a - b }),
  '*': exactly({ integers: (a, b) => a * b, numbers: (a, b) => a * b }),
  '/': (a, b) => Number(a) / Number(nonZero(b)),
  // The remainder has the sign of the divisor, as in Python.
  '%': exactly({
    integers: (a, b) => ((a % nonZero(b)) + b) % b,
    numbers: (a, b) => ((a % nonZero(b)) + b) % b,
  }),
  '**': (a, b) => Number(a) ** Number(b),
};

class MathOperatorConfig {
  @SourceColumns({ minItems: 1, maxItems: 2, description: 'Two columns of numbers, or one and a `value`.' })
  sources: JsonValue[];

  @EnumField(Object.keys(OPERATORS), { description: 'A comparison, or an operation of arithmetic.', example: 'gt' })
  operator: string;

  @NumberField({ optional: true, nullable: true, description: 'The second number where there is one source only.' })
  value?: number | null;
}

@ColumnType({
  name: 'MATH_OPERATOR',
  title: 'Math',
  description: 'Compares two numbers, or adds, subtracts, multiplies, divides them or raises one to the other.',
  kind: 'deterministic',
  output: 'number',
  config: MathOperatorConfig,
  normalize: listSources,
})
export class MathOperatorColumnType implements ComputingColumnType<MathOperatorConfig> {
  check({ sources, value }: MathOperatorConfig): void {
    if (sources.length === 1 && (value ?? null) === null) throw new Error('give two sources, or one and a value.');
  }

  compute({ sources, operator, value }: MathOperatorConfig): ExactNumber | boolean {
    const a = requireNumber(sources[0], 'The first source');
    const b = sources.length > 1 ? requireNumber(sources[1], 'The second source') : value!;
    const result = OPERATORS[operator]!(a, b);
    if (typeof result === 'number' && !Number.isFinite(result)) {
      throw new CellFailure(`${a} ${operator} ${b} has no finite result.`);
    }
    return result;
  }
}

function nonZero<N extends ExactNumber>(divisor: N): N {
  if (Number(divisor) === 0) throw new CellFailure('Division by zero.');
  return divisor;
}
