import { EnumField, UuidField } from '../../platform/http/fields.js';
import { ColumnType } from './column-type.js';

/** Metrics of cells: US dollars, and milliseconds. */
export const CELL_METRICS = ['price', 'latency_ms'] as const;
export type CellMetric = (typeof CELL_METRICS)[number];

class ExecutionMetadataConfig {
  @UuidField({ description: 'Id of the column that is measured.' })
  source_column_id: string;

  @EnumField(CELL_METRICS, {
    description: 'The measured quantity: the cost in US dollars, or the latency in milliseconds.',
  })
  metric_key: CellMetric;
}

export const EXECUTION_METADATA = 'EXECUTION_METADATA';

@ColumnType({
  name: EXECUTION_METADATA,
  title: 'Execution metadata',
  description: 'The cost or the duration of the cells of another column. The server adds these columns itself.',
  kind: 'metadata',
  group: 'compute',
  output: 'number',
  config: ExecutionMetadataConfig,
})
export class ExecutionMetadataColumnType {}
