import { z } from 'zod';
import { boundedText, closedObject } from '../http/schema-field.js';
import { FIELD_METRICS, METRICS } from './chart.js';

const MOST_SERIES = 20;
const DEFAULT_LIMIT = 25;

type Names = [string, ...string[]];

export const chartId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Input should be 1 to 64 letters, digits, "_" or "-"');
export const chartTitle = boundedText(0, 200).nullish();

export const groupLimit = z
  .int()
  .min(1)
  .max(100)
  .nullish()
  .transform((limit) => limit ?? DEFAULT_LIMIT)
  .meta({ default: DEFAULT_LIMIT, description: 'How many groups are kept: the largest ones by the first metric.' });

const percentile = z.number().min(0).max(100).nullish();

/** The names of a table, as zod takes them. */
export const namesOf = (table: object): Names => Object.keys(table) as Names;

/** The fields of a chart that say which numbers it shows. `fields` are the names of what can be aggregated. */
export function measureFields(fields: Names) {
  const series = closedObject({
    key: boundedText(1, 120),
    label: boundedText(1, 120),
    metric: z.enum(FIELD_METRICS),
    metricField: z.enum(fields),
    percentile,
  });
  const insight = closedObject({
    type: z.literal('ratio').default('ratio'),
    label: boundedText(1, 200),
    numeratorSeriesKey: z.string(),
    denominatorSeriesKey: z.string(),
  });
  return {
    metric: z.enum(METRICS).nullish(),
    metricField: z.enum(fields).nullish(),
    percentile,
    series: z
      .array(series)
      .min(2)
      .max(MOST_SERIES)
      .nullish()
      .meta({ description: 'Several metrics, in place of a single one.' }),
    derivedInsights: z
      .array(insight)
      .max(MOST_SERIES)
      .nullish()
      .meta({ description: 'Ratios of two series, computed over everything that matches.' }),
  };
}
