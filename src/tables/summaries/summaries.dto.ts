import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, IntegerField, NumberField, TextField, UuidField } from '../../platform/http/fields.js';
import {
  SHEET_ID,
  COLUMN_ID,
  COLUMN_TITLE,
  COLUMN_TYPE,
  ROW_COUNT,
  SYSTEM_COLUMNS,
} from '../shared/field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import type { ColumnSummary, SheetSummary } from './read-summary.js';

export class SheetSummaryQuery {
  @BooleanField({ optional: true, query: true, default: false, description: SYSTEM_COLUMNS })
  include_system_columns?: boolean;
}

class BooleanSummary {
  @IntegerField({ description: 'Number of cells whose value is true, yes or the text of one of them.', example: 47 })
  true_count: number;

  @IntegerField({ description: 'Number of cells whose value is false, no or the text of one of them.', example: 3 })
  false_count: number;

  @NumberField({ description: 'Share of true values, from 0 to 1.', example: 0.94 })
  pass_rate: number;
}

class NumberSummary {
  @IntegerField({ description: 'Number of cells that hold a number, or a text that is one.', example: 50 })
  count: number;

  @NumberField({ nullable: true, description: 'The smallest number.', example: 1 })
  min: number | null;

  @NumberField({
    nullable: true,
    description: 'Their arithmetic mean; null when it is too large for a JSON number.',
    example: 3.4,
  })
  mean: number | null;

  @NumberField({ nullable: true, description: 'The largest number.', example: 5 })
  max: number | null;

  @NumberField({ nullable: true, description: 'Their sum; null when it is too large for a JSON number.', example: 170 })
  sum: number | null;
}

class TopValue {
  @TextField({ description: 'The first 200 characters of the text.', example: 'refund' })
  value: string;

  @IntegerField({ description: 'Number of cells with this value.', example: 12 })
  count: number;
}

class TextSummary {
  @IntegerField({ description: 'How many cells hold something other than a boolean or a number.', example: 50 })
  count: number;

  @IntegerField({ description: 'Number of different texts.', example: 31 })
  distinct_count: number;

  @ApiProperty({
    description:
      'True when some texts are longer than 2,000 bytes. They are not compared and cannot be among the top values.',
    example: false,
  })
  distinct_is_lower_bound: boolean;

  @ApiProperty({ type: () => [TopValue], description: 'Up to ten, most frequent first.' })
  top_values: TopValue[];
}

export class ColumnSummaryBody {
  @UuidField({ description: COLUMN_ID })
  column_id: string;

  @TextField({ description: COLUMN_TITLE, example: 'Answer' })
  title: string;

  @TextField({ description: COLUMN_TYPE, example: 'TEXT' })
  type: string;

  @IntegerField({ description: 'Number of cells in the column, one for each row.', example: 50 })
  cell_count: number;

  @IntegerField({ description: 'Number of cells without a value, or with an empty text.', example: 0 })
  empty_count: number;

  @IntegerField({ description: 'Number of cells with the status `error`. Their last values do not count below.' })
  failed_count: number;

  @IntegerField({ description: 'Number of cells with the status `stale`. Their last values count below.' })
  stale_count: number;

  @IntegerField({ description: 'Number of cells that are queued or running.' })
  pending_count: number;

  @ApiProperty({
    type: () => BooleanSummary,
    nullable: true,
    description: 'Statistics of booleans and the texts true, false, yes and no; null when there are none.',
  })
  booleans: BooleanSummary | null;

  @ApiProperty({
    type: () => NumberSummary,
    nullable: true,
    description: 'Statistics of numbers and texts that are numbers; null when there are none.',
  })
  numbers: NumberSummary | null;

  @ApiProperty({
    type: () => TextSummary,
    nullable: true,
    description: 'Statistics of all other values, JSON as text; null when there are none.',
  })
  texts: TextSummary | null;
}

export class SheetSummaryResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @IntegerField({ description: 'The version of the sheet that was read.' })
  version: number;

  @IntegerField({ description: ROW_COUNT })
  row_count: number;

  @ApiProperty({ type: () => [ColumnSummaryBody], description: 'The columns, in the order of the sheet.' })
  columns: ColumnSummaryBody[];
}

export function toSummaryResponse({ sheet, rows: { count }, columns }: SheetSummary): SheetSummaryResponse {
  return {
    success: true,
    sheet_id: sheet.id,
    version: sheet.version,
    row_count: count,
    columns: columns.map((column) => toColumnSummary(column, count)),
  };
}

function toColumnSummary(summary: ColumnSummary, cells: number): ColumnSummaryBody {
  const { column, failed, stale, pending, statistics } = summary;
  return {
    column_id: column.id,
    title: column.title,
    type: column.type,
    cell_count: cells,
    empty_count: cells - (statistics?.filled ?? 0),
    failed_count: failed,
    stale_count: stale,
    pending_count: pending,
    booleans: toBooleans(summary),
    numbers: toNumbers(summary),
    texts: toTexts(summary),
  };
}

function toBooleans({ statistics }: ColumnSummary): BooleanSummary | null {
  const { yes, no } = statistics ?? { yes: 0, no: 0 };
  return yes + no === 0 ? null : { true_count: yes, false_count: no, pass_rate: yes / (yes + no) };
}

function toNumbers({ statistics }: ColumnSummary): NumberSummary | null {
  if (!statistics?.numbers) return null;
  const { numbers: count, min, mean, max, sum } = statistics;
  return { count, min, mean, max, sum };
}

function toTexts({ statistics, frequent }: ColumnSummary): TextSummary | null {
  if (!statistics?.texts) return null;
  const { texts, long } = statistics;
  return {
    count: texts,
    distinct_count: (frequent[0]?.distinct ?? 0) + Math.min(long, 1),
    distinct_is_lower_bound: long > 1,
    top_values: frequent.map(({ value, count }) => ({ value, count })),
  };
}
