import {
  type Chart,
  ChartErrors,
  type ChartGroup,
  insightsOf,
  type Layout,
  type Measure,
  measuresOf,
  requireDistinctIds,
} from '../../charts/index.js';
import {
  type ChartLevel,
  TRACE_CHART_FIELDS,
  traceGroup,
  type TraceGroupField,
  traceMetadataGroup,
} from './chart-fields.js';
import type { TraceChartSpec } from './trace-chart.schema.js';

export interface LevelledChart {
  level: ChartLevel;
  chart: Chart;
}

type Kind = 'plain' | 'pie' | 'histogram' | 'heatmap' | 'hierarchy';

const KINDS: Record<TraceChartSpec['chartType'], Kind> = {
  bar: 'plain',
  line: 'plain',
  area: 'plain',
  pie: 'pie',
  donut: 'pie',
  histogram: 'histogram',
  heatmap: 'heatmap',
  treemap: 'hierarchy',
  sunburst: 'hierarchy',
};

type Field = keyof TraceChartSpec;

/** Fields that each kind rejects, besides those that belong to another kind. */
const REFUSED: Record<Kind, Field[]> = {
  plain: [],
  pie: ['timeSeries'],
  histogram: ['series', 'metricField', 'percentile', 'groupByField', 'groupByMetadataKey', 'timeSeries'],
  heatmap: ['series', 'groupByMetadataKey', 'timeSeries'],
  hierarchy: ['series', 'groupByField', 'groupByMetadataKey', 'timeSeries'],
};
const NEEDED: Record<Kind, Field[]> = {
  plain: [],
  pie: [],
  histogram: ['histogramField'],
  heatmap: ['groupByField', 'secondaryGroupByField'],
  hierarchy: ['hierarchyFields'],
};
/** Fields that belong to one kind of chart. */
const OWNED: Partial<Record<Field, Kind>> = {
  histogramField: 'histogram',
  histogramInterval: 'histogram',
  secondaryGroupByField: 'heatmap',
  hierarchyFields: 'hierarchy',
};

/** Checks that the fields of a request's charts fit together. Throws chart_invalid for the first fault. */
export function toTraceCharts(workspaceId: number, specs: TraceChartSpec[]): LevelledChart[] {
  requireDistinctIds(specs);
  return specs.map((spec) => toTraceChart(workspaceId, spec));
}

function toTraceChart(workspaceId: number, spec: TraceChartSpec): LevelledChart {
  requireFittingFields(spec);
  const level = levelOf(spec);
  if (level === 'span') refuseForSpans(spec);
  const measures = measuresOfTraces(spec, level);
  const insights = insightsOf(spec);
  const layout = LAYOUTS[KINDS[spec.chartType]](spec, workspaceId);
  const { id, title, chartType } = spec;
  return { level, chart: { id, title: title ?? id, chartType, measures, insights, layout } };
}

function requireFittingFields(spec: TraceChartSpec): void {
  const kind = KINDS[spec.chartType];
  const refuse = (reason: string) => ChartErrors.chart_invalid(spec.id, reason);
  const foreign = Object.entries(OWNED).find(([field, owner]) => owner !== kind && isGiven(spec[field as Field]));
  const unwanted = foreign?.[0] ?? REFUSED[kind].find((field) => isGiven(spec[field]));
  if (unwanted) throw refuse(`${unwanted} does not fit the type ${spec.chartType}`);
  const missing = NEEDED[kind].find((field) => !isGiven(spec[field]));
  if (missing) throw refuse(`the type ${spec.chartType} needs ${missing}`);
  if (isGiven(spec.groupByField) && isGiven(spec.groupByMetadataKey)) {
    throw refuse('groupByField and groupByMetadataKey exclude each other');
  }
  if (spec.timeBucket && spec.timeBucket !== 'auto' && !spec.timeSeries) throw refuse('timeBucket needs timeSeries');
}

/** `false` counts as not given. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function levelOf(spec: TraceChartSpec): ChartLevel {
  const names = [
    spec.groupByField,
    spec.secondaryGroupByField,
    spec.histogramField,
    spec.metric === 'count' ? null : spec.metricField,
    ...(spec.hierarchyFields ?? []),
    ...(spec.series ?? []).map(({ metricField }) => metricField),
  ].filter((name) => name !== null && name !== undefined);
  const spans = names.filter((name) => name.startsWith('span_'));
  if (spans.length > 0 && spans.length < names.length) {
    throw ChartErrors.chart_invalid(spec.id, 'its fields must all be of traces or all of spans');
  }
  return spans.length > 0 ? 'span' : 'trace';
}

function refuseForSpans({ id, timeSeries, groupByMetadataKey }: TraceChartSpec): void {
  if (timeSeries) throw ChartErrors.chart_invalid(id, 'a chart of spans cannot be a timeSeries');
  if (groupByMetadataKey) throw ChartErrors.chart_invalid(id, 'a chart of spans cannot be grouped by metadata');
}

function measuresOfTraces(spec: TraceChartSpec, level: ChartLevel): Measure[] {
  const names = { fields: TRACE_CHART_FIELDS, counted: level === 'trace' ? 'Traces' : 'Spans' };
  if (spec.chartType !== 'histogram') return measuresOf(spec, names);
  if (spec.metric && spec.metric !== 'count') {
    throw ChartErrors.chart_invalid(spec.id, `a histogram counts and has no metric ${spec.metric}`);
  }
  return measuresOf({ ...spec, metric: 'count' }, names);
}

const LAYOUTS: Record<Kind, (spec: TraceChartSpec, workspaceId: number) => Layout> = {
  plain: plainLayout,
  pie: plainLayout,
  histogram: ({ histogramField, histogramInterval }) => ({
    kind: 'histogram',
    field: TRACE_CHART_FIELDS[histogramField as keyof typeof TRACE_CHART_FIELDS],
    interval: histogramInterval ?? null,
  }),
  heatmap: ({ groupByField, secondaryGroupByField, limit }, workspaceId) => ({
    kind: 'grid',
    rows: traceGroup(workspaceId, groupByField!),
    columns: traceGroup(workspaceId, secondaryGroupByField!),
    limit,
  }),
  hierarchy: (spec, workspaceId) => ({
    kind: 'tree',
    levels: distinctLevels(spec).map((field) => traceGroup(workspaceId, field)),
    limit: spec.limit,
  }),
};

function distinctLevels({ id, hierarchyFields }: TraceChartSpec): TraceGroupField[] {
  const levels = hierarchyFields!;
  if (new Set(levels).size < levels.length) {
    throw ChartErrors.chart_invalid(id, 'a field cannot be two levels of hierarchyFields');
  }
  return levels;
}

function plainLayout(spec: TraceChartSpec, workspaceId: number): Layout {
  const { id, chartType, series, timeSeries, limit } = spec;
  const by = groupOf(spec, workspaceId);
  const bucket = spec.timeBucket ?? 'auto';
  if (series && by && timeSeries) {
    throw ChartErrors.chart_invalid(id, 'series cannot be combined with both grouping and timeSeries');
  }
  if (timeSeries) return by ? { kind: 'time_groups', by, limit, bucket } : { kind: 'time', bucket };
  if (by) return { kind: 'groups', by, limit };
  const isSliced = KINDS[chartType] === 'pie' && isGiven(series);
  if (chartType === 'bar' || isSliced) return { kind: 'overall' };
  throw ChartErrors.chart_invalid(id, `without grouping it is one bar, not a chart of type ${chartType}`);
}

function groupOf({ groupByField, groupByMetadataKey }: TraceChartSpec, workspaceId: number): ChartGroup | null {
  if (groupByField) return traceGroup(workspaceId, groupByField);
  return groupByMetadataKey ? traceMetadataGroup(groupByMetadataKey) : null;
}
