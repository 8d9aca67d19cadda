import { z } from 'zod';
import { boundedText, closedObject } from '../platform/http/schema-field.js';
import { FIELD_METRICS, METRICS } from './chart.js';

const MOST_SERIES = 20;
const DEFAULT_LIMIT = 25;

type Names = [string, ...string[]];

export const chartId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Input should be 1 to 64 letters, digits, "_" or "-"')
  .meta({
    description: 'Names the chart in the response: 1 to 64 letters, digits, `_` or `-`, unique in the request.',
  });
export const chartTitle = boundedText(0, 200).nullish().meta({ description: 'The display title. Default: the id.' });
export const TIME_SERIES = { default: false, description: 'A row per bucket of time.' };
export const CHART_TYPE = { description: 'How the chart is drawn. It decides which other fields the chart needs.' };
export const GROUP_BY = { description: 'The field to group by: a row per value. Without it there is one row.' };

export const groupLimit = z
  .int()
  .min(1)
  .max(100)
  .nullish()
  .transform((limit) => limit ?? DEFAULT_LIMIT)
  .meta({
    default: DEFAULT_LIMIT,
    description: 'The number of groups to keep: those with the largest values of the first metric.',
  });

const percentile = z
  .number()
  .min(0)
  .max(100)
  .nullish()
  .meta({ description: 'Which percentile, for the metric `percentile`: 95 is the value that 95 % do not exceed.' });

/** The names of a table, as zod takes them. */
export const namesOf = (table: object): Names => Object.keys(table) as Names;

/** The fields of a chart that say which numbers it shows. `fields` are the names of what can be aggregated. */
export function measureFields(fields: Names) {
  const series = closedObject({
    key: boundedText(1, 120).meta({ description: 'The key of its numbers in the rows, unique in the chart.' }),
    label: boundedText(1, 120).meta({ description: 'The display name.' }),
    metric: z.enum(FIELD_METRICS).meta({ description: 'How the values are put together.' }),
    metricField: z.enum(fields).meta({ description: 'The field whose values are put together.' }),
    percentile,
  });
  const insight = closedObject({
    type: z.literal('ratio').default('ratio').meta({ description: 'Only ratios can be derived.' }),
    label: boundedText(1, 200).meta({ description: 'The display name of the ratio.' }),
    numeratorSeriesKey: z.string().meta({ description: 'The key of the series that is divided.' }),
    denominatorSeriesKey: z.string().meta({ description: 'The key of the series that it is divided by.' }),
  });
  return {
    metric: z
      .enum(METRICS)
      .nullish()
      .meta({ description: 'The metric: `count`, or a sum, average and so on of `metricField`.' }),
    metricField: z
      .enum(fields)
      .nullish()
      .meta({ description: 'The field whose values are put together. Not for `count`.' }),
    percentile,
    series: z
      .array(series)
      .min(2)
      .max(MOST_SERIES)
      .nullish()
      .meta({ description: 'Several metrics, in place of `metric`.' }),
    derivedInsights: z
      .array(insight)
      .max(MOST_SERIES)
      .nullish()
      .meta({ description: 'Ratios of two series, computed over everything that matches.' }),
  };
}
