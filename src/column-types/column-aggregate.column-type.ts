import { EnumField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import {
  type AggregatedValue,
  type AggregatingColumnType,
  ColumnType,
  type EqualCells,
} from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { AGGREGATIONS, type AggregationName, ColumnValues } from './column-values.js';

class ColumnAggregateConfig {
  @SourceColumn({ description: 'The column whose values are aggregated, by title or id.' })
  source: JsonValue;

  @EnumField(AGGREGATIONS, { description: 'The value to calculate over all rows.', example: 'most_frequent' })
  aggregation: AggregationName;

  @SourceColumn({
    advanced: true,
    optional: true,
    description: 'A column whose cell labels the result: the one in the row where the value was found.',
  })
  label_source?: JsonValue;
}

@ColumnType({
  name: 'COLUMN_AGGREGATE',
  title: 'Aggregate',
  description: 'One value over all rows of the source. Only scorecards have it.',
  kind: 'aggregate',
  group: 'compute',
  output: 'json',
  config: ColumnAggregateConfig,
  scorecardOnly: true,
  normalize: inLowerCase,
})
export class ColumnAggregateColumnType implements AggregatingColumnType<ColumnAggregateConfig> {
  async aggregate(
    { aggregation }: ColumnAggregateConfig,
    pages: AsyncIterable<EqualCells[]>,
  ): Promise<AggregatedValue> {
    const values = new ColumnValues();
    for await (const page of pages) for (const { value, rows } of page) values.add(value, rows);
    return { ...values.result(aggregation), details: { top_values: values.top() } };
  }
}

function inLowerCase(config: JsonObject): JsonObject {
  const { aggregation } = config;
  return typeof aggregation === 'string' ? { ...config, aggregation: aggregation.toLowerCase() } : config;
}
