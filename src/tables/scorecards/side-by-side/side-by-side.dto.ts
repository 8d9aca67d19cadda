import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../../platform/http/common-fields.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  MAX_ID,
  NumberField,
  TextField,
  UuidField,
} from '../../../platform/http/fields.js';
import { EXAMPLE_IDS } from '../../shared/example-ids.js';
import { ROW_INDEX, SHEET_ID, TABLE_ID } from '../../shared/field-descriptions.js';
import { MatchByField } from '../match-by-field.js';
import { VERDICTS } from '../verdicts.js';
import { CHANGES, type Change } from './line-filter.js';
import { SHOWN_LENGTH } from './side-by-side.queries.js';

export const MOST_RUNS = 6;
const MOST_LINES = 50;

export class SideBySideQuery {
  @ListField('uuid', {
    query: true,
    minItems: 1,
    maxItems: MOST_RUNS,
    description: `Ids of one to ${MOST_RUNS} completed calculations of any sheets of the workspace. The others are compared with the first.`,
    example: [EXAMPLE_IDS.calculation_id],
  })
  calculation_ids: string[];

  @MatchByField('several sheets')
  match_by?: string[];

  @TextField({
    optional: true,
    query: true,
    description: `Only rows that have one of these verdicts in one of the calculations, separated by commas: ${VERDICTS.join(', ')}.`,
    example: 'fail,error',
  })
  verdict?: string;

  @NumberField({
    optional: true,
    query: true,
    min: 0,
    max: 1,
    description: 'Only rows with at least this score in one of them.',
  })
  min_score?: number;

  @NumberField({
    optional: true,
    query: true,
    min: 0,
    max: 1,
    description: 'Only rows with at most this score in one of them.',
  })
  max_score?: number;

  @EnumField(CHANGES, {
    optional: true,
    query: true,
    description:
      'Only rows whose score in one of the others differs from, or is better or worse than, that in the first.',
  })
  change?: Change;

  @IntegerField({
    optional: true,
    query: true,
    min: 0,
    max: MAX_ID,
    description: 'The `next_cursor` of the page before, which is the index of its last row.',
  })
  cursor?: number;

  @IntegerField({ optional: true, query: true, min: 1, max: MOST_LINES, default: 20, description: 'Rows per page.' })
  limit?: number;
}

export const COLUMN_ROLES = ['input', 'output', 'computed'] as const;

export class SideBySideColumnBody {
  @UuidField({ description: 'Id of the column.' })
  id: string;

  @TextField({ description: 'Its title when the calculation was made.' })
  title: string;

  @TextField({ description: 'Its type.' })
  type: string;

  @EnumField(COLUMN_ROLES, {
    description:
      '`output`: what is judged, that is, the `evaluated_column_ids` of the scorecard, or else the column with `is_output_column` and those with titles that clients give their results. `input`: what was given. `computed`: all others.',
  })
  role: string;

  @BooleanField({ description: 'Whether an output or a step reads it.' })
  is_read: boolean;
}

export class SideBySideStepBody {
  @UuidField({ description: 'Id of the step.' })
  id: string;

  @TextField({ description: 'Its title in this calculation.' })
  title: string;
}

export class SideBySideRunBody {
  @UuidField({ description: 'Id of the calculation.' })
  calculation_id: string;

  @UuidField({ description: TABLE_ID })
  table_id: string;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @IntegerField({ description: 'Number of the sheet version that was scored.' })
  version: number;

  @NumberField({ nullable: true, description: 'The score of the sheet, from 0 to 1.' })
  score: number | null;

  @EnumField(VERDICTS, { nullable: true, description: 'The verdict over all rows.' })
  verdict: string | null;

  @NumberField({
    nullable: true,
    description: 'Cost of the scored cells in US dollars, without the steps; null when no price is known.',
  })
  cost: number | null;

  @IntegerField({ description: 'Number of rows with calls whose price is not known.' })
  unpriced_row_count: number;

  @NumberField({
    nullable: true,
    description: 'Mean latency of the cells of a row in milliseconds; null when none was measured.',
  })
  latency_ms: number | null;

  @ListField('string', {
    description: 'Titles of the columns that match its rows with those of the first calculation; empty in one sheet.',
  })
  matched_by: string[];

  @IntegerField({ description: 'Number of rows that the first calculation does not have. They are not listed.' })
  unmatched_row_count: number;

  @ApiProperty({
    type: () => [SideBySideColumnBody],
    description: 'The first 50 columns of the sheet, in their order.',
  })
  columns: SideBySideColumnBody[];

  @ApiProperty({
    type: () => [SideBySideStepBody],
    description: 'The steps that were scored row by row, in their order.',
  })
  steps: SideBySideStepBody[];
}

export class SideBySideResultBody {
  @EnumField(VERDICTS, { description: 'The verdict of the step.' })
  verdict: string;

  @NumberField({ nullable: true, description: 'Its score, from 0 to 1; null when there is none.' })
  score: number | null;

  @TextField({
    nullable: true,
    description: 'Reason of the verdict: the error, the reasoning of a judge, or the evidence. Null without one.',
  })
  reason: string | null;
}

export class SideBySideCellBody {
  @TextField({
    nullable: true,
    description: `The first ${SHOWN_LENGTH} characters of the cell, or fewer on a page of many cells; null for an empty one.`,
  })
  text: string | null;

  @BooleanField({ description: 'Whether the cell holds more than `text`.' })
  is_truncated: boolean;

  @TextField({ nullable: true, description: 'Why the cell could not be computed; null when it could.' })
  error: string | null;
}

export class SideBySideRowBody {
  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @EnumField(VERDICTS, { nullable: true, description: 'The verdict of the row.' })
  verdict: string | null;

  @NumberField({ nullable: true, description: 'The score of the row, from 0 to 1; null when every step was skipped.' })
  score: number | null;

  @NumberField({ nullable: true, description: 'Cost of its cells in US dollars; null when no price is known.' })
  cost: number | null;

  @NumberField({ nullable: true, description: 'Latency of its cells in milliseconds; null when none was measured.' })
  latency_ms: number | null;

  @ApiProperty({ type: () => [SideBySideCellBody], description: 'Its cells, in the order of `columns`.' })
  cells: SideBySideCellBody[];

  @ApiProperty({ type: () => [SideBySideResultBody], description: 'Its results, in the order of `steps`.' })
  steps: SideBySideResultBody[];
}

export class SideBySideLineBody {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: '#/components/schemas/SideBySideRowBody' }], nullable: true },
    description: 'The row in each calculation, in the order of `runs`; null where a calculation does not have it.',
  })
  runs: (SideBySideRowBody | null)[];
}

export class SideBySideResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [SideBySideRunBody],
    description: 'The calculations in the order they were named, each once.',
  })
  runs: SideBySideRunBody[];

  @ApiProperty({ type: () => [SideBySideLineBody], description: 'Rows of the first calculation, ascending by index.' })
  rows: SideBySideLineBody[];

  @IntegerField({ description: 'Number of rows that the filters leave, on all pages.' })
  total_count: number;

  @IntegerField({ nullable: true, description: 'Pass it as `cursor` to get the next page; null on the last page.' })
  next_cursor: number | null;
}
