import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { z } from 'zod';
import { EnumField, NumberField, TextField } from '../http/fields.js';
import { type ChartRow, type Unit, UNITS } from './chart.js';

export class ChartSeriesBody {
  @TextField({ example: 'value', description: 'The key of its numbers in the rows.' })
  key: string;

  @TextField({ example: 'Cost' })
  label: string;

  @EnumField(UNITS, { description: '`currency` is US dollars.' })
  unit: Unit;
}

export class RatioInsightBody {
  @EnumField(['ratio'])
  type: 'ratio';

  @TextField()
  label: string;

  @TextField()
  numeratorSeriesKey: string;

  @TextField()
  denominatorSeriesKey: string;

  @NumberField({ nullable: true, description: 'Null when the denominator is 0.' })
  value: number | null;
}

z.looseObject({
  label: z.string(),
  bucketKey: z.string().optional().meta({ description: 'The start of the bucket, in charts over time.' }),
  binStart: z.number().optional(),
  binEnd: z.number().optional(),
  path: z.array(z.string()).optional(),
})
  .catchall(z.number().nullable())
  .meta({ id: 'ChartRow', description: 'The other keys are those of the series.' });

/** A chart of an answer; subclasses say which types it can have. */
export class ChartBody {
  @TextField()
  id: string;

  @TextField({ description: 'The id when the request gave none.' })
  title: string;

  @ApiProperty({ type: () => [ChartSeriesBody] })
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
      'Present when the request asked for them. They are about everything that matches, not only about the groups that are shown.',
  })
  derivedInsights?: RatioInsightBody[];
}
