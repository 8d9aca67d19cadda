import type { JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType, type InputColumn } from '../grid/column-type/column-type.js';
import { BooleansConfig, decide } from './all-and-any.js';

@ColumnType({
  name: 'ANY',
  title: 'Any true',
  description:
    'True when one of several columns is true, false when all of them are false. Empty when a blank one leaves the result open.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: BooleansConfig,
})
export class AnyColumnType implements ComputingColumnType<BooleansConfig> {
  compute(config: BooleansConfig, inputs: InputColumn[]): JsonValue {
    return decide(config, inputs, true);
  }
}
