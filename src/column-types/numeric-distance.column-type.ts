import { negated } from '../platform/decimals.js';
import type { JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { calculated, minus } from './exact-arithmetic.js';
import { listSources } from './two-sources.js';
import { type ExactNumber, requireDecimal } from '../grid/column-type/values.js';

class NumericDistanceConfig {
  @SourceColumns({ minItems: 2, maxItems: 2, description: 'Two columns of numbers.' })
  sources: JsonValue[];
}

@ColumnType({
  name: 'ABSOLUTE_NUMERIC_DISTANCE',
  title: 'Numeric distance',
  description: 'How far two numbers are apart.',
  kind: 'deterministic',
  group: 'compute',
  output: 'number',
  config: NumericDistanceConfig,
  revision: 2,
  normalize: listSources,
})
export class NumericDistanceColumnType implements ComputingColumnType<NumericDistanceConfig> {
  compute({ sources: [a, b] }: NumericDistanceConfig): ExactNumber {
    const [first, second] = [requireDecimal(a, 'The first source'), requireDecimal(b, 'The second source')];
    return calculated(() => {
      const distance = minus(first, second);
      return distance.units < 0n ? negated(distance) : distance;
    });
  }
}
