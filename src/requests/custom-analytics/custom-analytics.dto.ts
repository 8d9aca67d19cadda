import { ApiProperty } from '@nestjs/swagger';
import type { ChartResult } from '../../platform/charts/chart.js';
import { ChartBody } from '../../platform/charts/charts.dto.js';
import { EnumField, JsonObjectField, ListField, TextField } from '../../platform/http/fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import type { JsonObject } from '../../platform/json.js';
import type { RequestLogQuery } from '../search/request-conditions.js';
import { toSort } from '../search/search.dto.js';
import { REQUEST_SORTS, type RequestSort } from '../selection.queries.js';
import { REQUEST_CHART_TYPES, requestCharts, type RequestChartSpec } from './request-chart.schema.js';

export class RequestCustomAnalyticsRequest {
  @JsonObjectField({
    optional: true,
    nullable: true,
    description:
      '`{logic: AND|OR, filters: [{field, operator, value, nested_key}, …]}`; an item may be such a group itself. No filters means all.',
    example: { filters: [{ field: 'status', operator: 'is', value: 'SUCCESS' }] },
  })
  filter_group?: JsonObject | null;

  @ListField('object', {
    optional: true,
    nullable: true,
    description: 'Further filters, all of which must hold beside `filter_group`.',
  })
  filters?: JsonObject[] | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: 'Words that must all occur in the input or output; the beginning of a word is enough.',
  })
  q?: string | null;

  @EnumField(REQUEST_SORTS, { optional: true, nullable: true, description: 'Accepted; changes nothing here.' })
  sort_by?: RequestSort | null;

  @EnumField(['asc', 'desc'], { optional: true, nullable: true, description: 'Together with `sort_by`.' })
  sort_order?: 'asc' | 'desc' | null;

  @TextField({ optional: true, nullable: true, maxLength: 1024, description: 'Accepted; changes nothing here.' })
  metadata_cost_breakdown_key?: string | null;

  @SchemaField(requestCharts, {
    description:
      'Up to 50. A chart without grouping and `timeSeries` is one bar over everything. Unknown prices and token counts are left out of averages. `latency_ms` is answered in seconds.',
    example: [
      { id: 'cost_by_model', chartType: 'bar', metric: 'sum', metricField: 'cost', groupByField: 'engine' },
      { id: 'requests', title: 'Requests', chartType: 'line', metric: 'count', timeSeries: true },
    ],
  })
  customCharts: RequestChartSpec[];
}

class RequestChartBody extends ChartBody {
  @EnumField(REQUEST_CHART_TYPES)
  chartType: string;
}

export class RequestCustomAnalyticsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [RequestChartBody], description: 'In the order of the request.' })
  customCharts: ChartResult[];
}

/** Throws a 422 when only half of a sort order is given. */
export function toRequestLogQuery(body: RequestCustomAnalyticsRequest): RequestLogQuery {
  toSort(body, 'body');
  return { filterGroup: body.filter_group, filters: body.filters, q: body.q };
}
