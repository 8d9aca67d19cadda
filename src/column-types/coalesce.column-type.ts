import type { JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType, type InputColumn } from '../grid/column-type/column-type.js';
import { SourceColumns } from '../grid/column-type/source-fields.js';

class CoalesceConfig {
  @SourceColumns({ minItems: 2, description: 'Columns in the order in which they are tried.' })
  sources: JsonValue[];
}

@ColumnType({
  name: 'COALESCE',
  title: 'First value',
  description: 'The first of several columns that has a value. An empty text cell has none.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: CoalesceConfig,
})
export class CoalesceColumnType implements ComputingColumnType<CoalesceConfig> {
  compute({ sources }: CoalesceConfig, inputs: InputColumn[]): JsonValue {
    const isText = (position: number) => inputs.some((input) => input.position === position && input.isText);
    return sources.find((value, position) => value !== null && !(value === '' && isText(position))) ?? null;
  }
}
