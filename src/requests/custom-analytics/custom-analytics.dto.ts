import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { ChartBody, type ChartResult } from '../../charts/index.js';
import { EnumField } from '../../platform/http/fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { RequestLogQuery } from '../search/request-conditions.js';
import { LogQueryRequest, toLogQuery } from '../search/log-query.dto.js';
import { toSort } from '../search/search.dto.js';
import { REQUEST_CHART_TYPES, requestCharts, type RequestChartSpec } from './request-chart.schema.js';

@Closed()
export class RequestCustomAnalyticsRequest extends LogQueryRequest {
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
  @EnumField(REQUEST_CHART_TYPES, { description: 'The type of the chart, as the request gave it.' })
  chartType: string;
}

export class RequestCustomAnalyticsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [RequestChartBody], description: 'The charts, in the order of the request.' })
  customCharts: ChartResult[];
}

/** Throws a 422 when only half of a sort order is given. */
export function toRequestLogQuery(body: RequestCustomAnalyticsRequest): RequestLogQuery {
  toSort(body, 'body');
  return toLogQuery(body);
}
