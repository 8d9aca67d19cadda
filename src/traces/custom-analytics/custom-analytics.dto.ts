import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { ChartBody, type ChartResult } from '../../charts/index.js';
import { BooleanField, EnumField, JsonObjectField } from '../../platform/http/fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject } from '../../platform/json.js';
import { TRACE_FILTER_GROUP } from '../search/trace-fields.js';
import { TRACE_CHART_TYPES, traceCharts, type TraceChartSpec } from './trace-chart.schema.js';

@Closed()
export class TraceCustomAnalyticsRequest {
  @JsonObjectField({
    optional: true,
    nullable: true,
    like: TRACE_FILTER_GROUP,
    description:
      'Selects traces like the search of traces. Charts of spans are about all spans of these traces, not only about those that a filter matched.',
    example: { filters: [] },
  })
  filter_group?: JsonObject | null;

  @SchemaField(traceCharts, {
    description:
      'The fields of a chart are either all of traces or all of spans. Charts of spans cannot be `timeSeries`. Unknown values, such as an unknown price or the duration of a running span, are left out. Fields in milliseconds are answered in seconds.',
    example: [
      { id: 'durations', chartType: 'histogram', histogramField: 'trace_duration_ms' },
      { id: 'types', title: 'Types of spans', chartType: 'pie', metric: 'count', groupByField: 'span_type' },
    ],
  })
  customCharts: TraceChartSpec[];
}

class TraceChartBody extends ChartBody {
  @EnumField(TRACE_CHART_TYPES, { description: 'The type of the chart, as the request gave it.' })
  chartType: string;
}

export class TraceCustomAnalyticsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [TraceChartBody], description: 'The charts, in the order of the request.' })
  customCharts: ChartResult[];

  @BooleanField({
    optional: true,
    description: 'True while many traces wait for search: these may not be counted yet.',
  })
  partial?: true;
}
