import type { JsonValue } from '../../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';
import { exactly } from './exact-arithmetic.js';
import { listSources } from './two-sources.js';
import { type ExactNumber, requireNumber } from '../grid/column-type/values.js';

const minus = exactly({ integers: (a, b) => a - b, numbers: (a, b) => a - b });

class NumericDistanceConfig {
  @SourceColumns({ minItems: 2, maxItems: 2, description: 'Two columns of numbers.' })
  sources: JsonValue[];
}

@ColumnType({
  name: 'ABSOLUTE_NUMERIC_DISTANCE',
  title: 'Numeric distance',
  description: 'How far two numbers are apart.',
  kind: 'deterministic',
  output: 'number',
  config: NumericDistanceConfig,
  normalize: listSources,
})
export class NumericDistanceColumnType implements ComputingColumnType<NumericDistanceConfig> {
  compute({ sources: [a, b] }: NumericDistanceConfig): ExactNumber {
    const distance = minus(requireNumber(a, 'The first source'), requireNumber(b, 'The second source'));
    return distance < 0 ? -distance : distance;
  }
}
