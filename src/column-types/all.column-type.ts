import type { JsonValue } from '../platform/json.js';
import { ColumnType, type ComputingColumnType, type InputColumn } from '../grid/column-type/column-type.js';
import { BooleansConfig, decide } from './all-and-any.js';

@ColumnType({
  name: 'ALL',
  title: 'All true',
  description:
    'True when all of several columns are true, false when one of them is false. Empty when a blank one leaves the result open.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: BooleansConfig,
})
export class AllColumnType implements ComputingColumnType<BooleansConfig> {
  compute(config: BooleansConfig, inputs: InputColumn[]): JsonValue {
    return decide(config, inputs, false);
  }
}
