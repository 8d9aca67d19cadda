import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { z } from 'zod';
import { EnumField, NumberField, TextField } from '../platform/http/fields.js';
import { type ChartRow, type Unit, UNITS } from './chart.js';

export class ChartSeriesBody {
  @TextField({ example: 'value', description: 'The key of the series in the rows of `data`.' })
  key: string;

  @TextField({ description: 'The display name of the series.', example: 'Cost' })
  label: string;

  @EnumField(UNITS, { description: 'The unit of its numbers. `currency` is US dollars.' })
  unit: Unit;
}

export class RatioInsightBody {
  @EnumField(['ratio'], { description: 'Always `ratio`.' })
  type: 'ratio';

  @TextField({ description: 'The name of the ratio, as the request gave it.' })
  label: string;

  @TextField({ description: 'The key of the series that is divided.' })
  numeratorSeriesKey: string;

  @TextField({ description: 'The key of the series that it is divided by.' })
  denominatorSeriesKey: string;

  @NumberField({ nullable: true, description: 'The ratio; null if the denominator is 0.' })
  value: number | null;
}

z.looseObject({
  label: z.string().meta({ description: 'The display name of the row: a group, a bucket of time, or a bin.' }),
  bucketKey: z.string().optional().meta({ description: 'The start of the bucket, in charts over time.' }),
  binStart: z.number().optional().meta({ description: 'The lower end of the bin, in histograms.' }),
  binEnd: z
    .number()
    .optional()
    .meta({ description: 'The upper end of the bin, which does not belong to it, in histograms.' }),
  path: z
    .array(z.string())
    .optional()
    .meta({ description: 'The groups from the outermost inwards, in treemaps and sunbursts.' }),
})
  .catchall(z.number().nullable())
  .meta({
    id: 'ChartRow',
    description: 'A row of a chart. Its other keys are the keys of the series, each with a number or null.',
  });

/** A chart of an answer; subclasses say which types it can have. */
export class ChartBody {
  @TextField({ description: 'The id that the request gave the chart.' })
  id: string;

  @TextField({ description: 'The title of the chart: the id if the request gave none.' })
  title: string;

  @ApiProperty({
    type: () => [ChartSeriesBody],
    description: 'The series of the chart, in the order of the request. A chart with one metric has one.',
  })
  series: ChartSeriesBody[];

  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath('ChartRow') },
    description:
      'A row has a `label` and a number or null by the key of every series. Rows of time have the start of their bucket as `bucketKey`, rows of a histogram `binStart` and `binEnd` (which does not belong to the bin), rows of a treemap or sunburst `path`.',
    example: [{ label: 'gpt-4o', value: 12 }],
  })
  data: ChartRow[];

  @ApiProperty({
    type: () => [RatioInsightBody],
    required: false,
    description:
      'The ratios that the request asked for, computed over everything that matches rather than only the groups shown. Missing if it asked for none.',
  })
  derivedInsights?: RatioInsightBody[];
}
