import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../../platform/http/list.js';
import { NullableComponentField } from '../../shared/component-field.js';
import { SheetPlaceBody, toSheetPlace } from '../../sheets/sheet-place.dto.js';
import { ConfidenceInterval } from '../calculations.dto.js';
import { VERDICTS } from '../verdicts.js';
import type { ListedCalculation } from './calculation-list.queries.js';

export const CALCULATION_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

export class ListCalculationsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;

  @UuidField({ optional: true, query: true, description: 'Only calculations of this sheet.' })
  sheet_id?: string;

  @UuidField({ optional: true, query: true, description: 'Only calculations of sheets of this table.' })
  table_id?: string;

  @BooleanField({ optional: true, query: true, default: false, description: 'Whether to list only completed ones.' })
  completed?: boolean;
}

export class ListedCalculationBody extends SheetPlaceBody {
  @UuidField({ description: 'Id of the calculation.' })
  calculation_id: string;

  @TextField({ description: 'Name of the scorecard.' })
  scorecard_name: string;

  @EnumField(CALCULATION_STATUSES, { description: 'Status of the calculation.' })
  status: string;

  @IntegerField({ description: 'Number of the sheet version that was scored.' })
  version: number;

  @IntegerField({ description: 'Number of the newest version of the sheet.' })
  sheet_version: number;

  @NumberField({ nullable: true, description: 'The score of the sheet, from 0 to 1; null until it has completed.' })
  score: number | null;

  @EnumField(VERDICTS, { nullable: true, description: 'The verdict; null until it has completed.' })
  verdict: string | null;

  @IntegerField({ nullable: true, description: 'Number of rows that count; null until it has completed.' })
  n: number | null;

  @NullableComponentField('ConfidenceInterval', 'Confidence interval of the score; null when there are too few rows.')
  confidence_interval: ConfidenceInterval | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of rows by verdict; empty until it has completed.',
  })
  verdict_counts: Record<string, number>;

  @NumberField({
    nullable: true,
    description: 'Cost of its steps in US dollars, as far as prices are known; null when no step was computed.',
  })
  scoring_cost: number | null;

  @TextField({ description: 'Hash of everything that scores depend on besides cells.' })
  config_hash: string;

  @BooleanField({ description: 'Whether it calculated only some rows or steps; the others are from the one before.' })
  is_partial: boolean;

  @TextField({ nullable: true, description: 'Why the calculation failed or ended early; null when it did not.' })
  error_summary: string | null;

  @DateTimeField({ description: 'When it was requested, in UTC.' })
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When it ended, in UTC; null while it goes on.' })
  completed_at: string | null;
}

export class CalculationListResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ListedCalculationBody], description: 'The calculations of this page.' })
  data: ListedCalculationBody[];
}

export function toListedCalculation(listed: ListedCalculation): ListedCalculationBody {
  return {
    ...toSheetPlace(listed),
    calculation_id: listed.id,
    scorecard_name: listed.scorecardName,
    status: listed.status,
    version: listed.version,
    sheet_version: listed.sheetVersion,
    score: listed.score,
    verdict: listed.verdict,
    n: listed.estimate?.n ?? null,
    confidence_interval: listed.estimate?.interval ?? null,
    verdict_counts: { ...listed.counts },
    scoring_cost: listed.scoringCost,
    config_hash: listed.configHash,
    is_partial: listed.isPartial,
    error_summary: listed.error,
    created_at: listed.createdAt.toISOString(),
    completed_at: listed.completedAt?.toISOString() ?? null,
  };
}
