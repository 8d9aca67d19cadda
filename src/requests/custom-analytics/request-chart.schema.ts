import { z } from 'zod';
import {
  CHART_TYPE,
  chartId,
  chartTitle,
  GROUP_BY,
  groupLimit,
  measureFields,
  namesOf,
  TIME_SERIES,
} from '../../charts/index.js';
import { boundedText, closedObject } from '../../platform/http/schema-field.js';
import { REQUEST_CHART_FIELDS, REQUEST_GROUP_FIELDS } from './chart-fields.js';

export const REQUEST_CHART_TYPES = ['bar', 'line', 'area'] as const;

/** More of them in one request would keep a connection busy for too long. */
const MOST_CHARTS = 50;

const requestChart = closedObject({
  id: chartId,
  title: chartTitle,
  chartType: z.enum(REQUEST_CHART_TYPES).meta(CHART_TYPE),
  ...measureFields(namesOf(REQUEST_CHART_FIELDS)),
  groupByField: z.enum(REQUEST_GROUP_FIELDS).nullish().meta(GROUP_BY),
  groupByMetadataKey: boundedText(1, 1024)
    .nullish()
    .meta({ description: 'Several fields to group by, in place of `groupByField`.' }),
  timeSeries: z.boolean().nullish().meta(TIME_SERIES),
  limit: groupLimit,
}).meta({ id: 'RequestChart' });

export const requestCharts = z.array(requestChart).min(1).max(MOST_CHARTS);

export type RequestChartSpec = z.infer<typeof requestChart>;
