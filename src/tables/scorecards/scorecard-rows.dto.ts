import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  MAX_ID,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { NullableComponentField } from '../shared/component-field.js';
import { SHEET_ID, ROW_INDEX } from '../shared/field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { field } from '../../platform/http/field.js';
import { LimitField } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { RowDrift, StaleStateBody } from './calculations.dto.js';
import { VERDICTS } from './verdicts.js';

export class ScorecardRowsQuery {
  @UuidField({
    optional: true,
    query: true,
    description: 'Id of the calculation to read. Default: the newest completed one.',
  })
  calculation_id?: string;

  @TextField({
    optional: true,
    query: true,
    description: `Only rows with one of these verdicts, separated by commas: ${VERDICTS.join(', ')}.`,
    example: 'fail',
  })
  verdict?: string;

  @UuidField({
    optional: true,
    query: true,
    description: 'Applies `verdict` to this step instead of to the whole row.',
  })
  step_id?: string;

  @field(
    {
      optional: true,
      query: true,
      description: 'The `next_cursor` of the page before, which is the index of its last row.',
    },
    {
      validators: [IsString()],
      schema: {
        oneOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: '^\\d+$' },
        ],
      },
    },
  )
  cursor?: string;

  @LimitField(50)
  limit?: number;
}

export class RowSummaryBody {
  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @NumberField({
    nullable: true,
    description: 'The score over all steps of the row, from 0 to 1; null when every step was skipped.',
  })
  aggregate_score: number | null;

  @EnumField(VERDICTS, {
    nullable: true,
    description: 'The verdict on the score of the row by the thresholds of the scorecard.',
  })
  aggregate_verdict: string | null;

  @NullableComponentField('RowDrift', 'How the row differs from the earlier calculation; null when it was not in one.')
  drift_summary: RowDrift | null;

  @NullableComponentField('StaleStateBody', 'Why the result of the row is out of date; null when it is not.')
  stale_state: StaleStateBody | null;

  @TextField({
    nullable: true,
    description: 'The first error of a step, and how many more there are; null without errors.',
  })
  error_summary: string | null;
}

export class ScorecardRowsResponse {
  @SuccessField()
  success: true;

  @UuidField({
    nullable: true,
    description: 'Id of the calculation that the rows are from; null when none has completed.',
  })
  calculation_id: string | null;

  @ApiProperty({ type: () => [RowSummaryBody], description: 'The rows of this page, ascending by index.' })
  rows: RowSummaryBody[];

  @IntegerField({ nullable: true, description: 'Pass it as `cursor` to get the next page; null on the last page.' })
  next_cursor: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      'Number of rows of the whole calculation by verdict, whatever the filter; empty when there is no calculation.',
  })
  verdict_counts: Record<string, number>;
}

export class ScorecardRowPath extends SheetPath {
  @IntegerField({ query: true, min: 0, max: MAX_ID, description: ROW_INDEX })
  row_index: number;
}

export class ScorecardRowQuery {
  @UuidField({
    optional: true,
    query: true,
    description: 'Id of the calculation to read. Default: the newest completed one.',
  })
  calculation_id?: string;
}

export class RowResultResponse extends RowSummaryBody {
  @SuccessField()
  success: true;

  @UuidField({ description: 'Id of the result, always the same for a row of a calculation.' })
  id: string;

  @UuidField({ description: 'Id of the calculation that the result is from.' })
  calculation_id: string;

  @UuidField({ description: 'Id of the scorecard.' })
  scorecard_id: string;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/StepResultBody' },
    description: 'The results by step id, without steps that are computed once per column.',
  })
  step_results: Record<string, JsonObject>;

  @TextField({ nullable: true, description: 'The `config_hash` of the calculation.' })
  config_hash: string | null;

  @TextField({
    nullable: true,
    description: 'Hash of what the steps were computed from; null when no step was computed.',
  })
  input_hash: string | null;

  @DateTimeField({ nullable: true, description: 'When the calculation completed, in UTC.' })
  computed_at: string | null;
}
