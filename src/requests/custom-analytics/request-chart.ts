import {
  type Chart,
  ChartErrors,
  type ChartGroup,
  insightsOf,
  type Layout,
  measuresOf,
  requireDistinctIds,
} from '../../charts/index.js';
import { REQUEST_CHART_FIELDS, requestGroup } from './chart-fields.js';
import { metadataValueGroup } from './metadata-groups.js';
import type { RequestChartSpec } from './request-chart.schema.js';

const NAMES = { fields: REQUEST_CHART_FIELDS, counted: 'Requests' };

/** Checks what the fields of the charts of a request say together. Throws chart_invalid for the first fault. */
export function toRequestCharts(workspaceId: number, specs: RequestChartSpec[]): Chart[] {
  requireDistinctIds(specs);
  return specs.map((spec) => ({
    id: spec.id,
    title: spec.title ?? spec.id,
    chartType: spec.chartType,
    measures: measuresOf(spec, NAMES),
    insights: insightsOf(spec),
    layout: layoutOf(spec, groupOf(workspaceId, spec)),
  }));
}

function groupOf(workspaceId: number, { id, groupByField, groupByMetadataKey }: RequestChartSpec): ChartGroup | null {
  if (groupByField && groupByMetadataKey) {
    throw ChartErrors.chart_invalid(id, 'groupByField and groupByMetadataKey exclude each other');
  }
  if (groupByField) return requestGroup(workspaceId, groupByField);
  return groupByMetadataKey ? metadataValueGroup(workspaceId, groupByMetadataKey) : null;
}

function layoutOf({ id, chartType, series, timeSeries, limit }: RequestChartSpec, by: ChartGroup | null): Layout {
  if (series && by && timeSeries) {
    throw ChartErrors.chart_invalid(id, 'series cannot be combined with both grouping and timeSeries');
  }
  if (timeSeries) return by ? { kind: 'time_groups', by, limit, bucket: 'auto' } : { kind: 'time', bucket: 'auto' };
  if (by) return { kind: 'groups', by, limit };
  if (chartType === 'bar') return { kind: 'overall' };
  throw ChartErrors.chart_invalid(
    id,
    `without grouping and timeSeries it is one bar, not a chart of type ${chartType}`,
  );
}
