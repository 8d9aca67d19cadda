import { z } from 'zod';
import {
  CHART_TYPE,
  chartId,
  chartTitle,
  GROUP_BY,
  groupLimit,
  measureFields,
  namesOf,
  TIME_BUCKETS,
  TIME_SERIES,
} from '../../charts/index.js';
import { boundedText, closedObject } from '../../platform/http/schema-field.js';
import { TRACE_CHART_FIELDS, TRACE_GROUP_FIELDS } from './chart-fields.js';

export const TRACE_CHART_TYPES = [
  'bar',
  'line',
  'area',
  'pie',
  'donut',
  'histogram',
  'heatmap',
  'treemap',
  'sunburst',
] as const;

const SMALLEST_INTERVAL = 1e-6;
const LARGEST_INTERVAL = 1e15;

const fields = namesOf(TRACE_CHART_FIELDS);
const group = z.enum(TRACE_GROUP_FIELDS);

const traceChart = closedObject({
  id: chartId,
  title: chartTitle,
  chartType: z.enum(TRACE_CHART_TYPES).meta(CHART_TYPE),
  ...measureFields(fields),
  groupByField: group.nullish().meta(GROUP_BY),
  groupByMetadataKey: boundedText(1, 1024)
    .nullish()
    .meta({ description: 'Groups by a field of traces or spans, in place of `groupByField`.' }),
  secondaryGroupByField: group.nullish().meta({ description: 'The field of the second axis of a heatmap.' }),
  hierarchyFields: z
    .array(group)
    .min(2)
    .max(5)
    .nullish()
    .meta({ description: 'The levels of treemaps and sunbursts, from the outermost inwards.' }),
  histogramField: z.enum(fields).nullish().meta({ description: 'The field whose values a histogram counts.' }),
  histogramInterval: z
    .number()
    .min(SMALLEST_INTERVAL)
    .max(LARGEST_INTERVAL)
    .nullish()
    .meta({ description: 'The width of a bin in the unit of `histogramField`. By default there are about 20 bins.' }),
  timeSeries: z.boolean().nullish().meta(TIME_SERIES),
  timeBucket: z.enum(TIME_BUCKETS).nullish().meta({
    default: 'auto',
    description: 'The width of the buckets of time. Days, weeks (from Monday) and months are in UTC.',
  }),
  limit: groupLimit,
}).meta({ id: 'TraceChart' });

export const traceCharts = z.array(traceChart).min(1).max(10);

export type TraceChartSpec = z.infer<typeof traceChart>;
