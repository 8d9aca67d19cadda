import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { QueryIdField, SuccessField } from '../../platform/http/common-fields.js';
import { ComparisonBody, ScoreEstimateBody, toComparison } from '../../tables/index.js';
import type { ComparedRuns } from './run-comparisons.service.js';

export class RunComparisonQuery {
  @QueryIdField(
    'Id of the run to compare with. Default: the one before it of the same pipeline and version of the dataset.',
  )
  with?: number;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: 100,
    default: 100,
    description: 'Largest number of entries in `changes`.',
  })
  max_changes?: number;
}

class RunEstimateBody extends ScoreEstimateBody {
  @NumberField({ nullable: true, description: 'The mean: the share of rows that passed, or the mean of numbers.' })
  score: number | null;
}

class ColumnComparisonBody extends ComparisonBody {
  @TextField({ description: 'Name of the column, the same in both runs.' })
  name: string;

  @EnumField(['share', 'number'], {
    description:
      '`share`: the score is the share of what passed. `number`: it is the mean of numbers, such as ratings.',
  })
  scale: string;

  @BooleanField({
    description:
      'True when the column has another type, other sources or another configuration in the other run: then the difference may come from the scorer and not from what it scores.',
  })
  scorer_changed: boolean;

  @ApiProperty({ type: () => RunEstimateBody, description: 'The score in the run of the path.' })
  own: RunEstimateBody;

  @ApiProperty({ type: () => RunEstimateBody, description: 'The score in the run that is compared with.' })
  other: RunEstimateBody;
}

class ChangedRowBody {
  @IntegerField({
    description: 'Position of the row, from 0, in the order of `GET /api/public/v2/evaluations/{evaluation_id}/rows`.',
  })
  row: number;

  @TextField({ description: 'Name of the scored column.' })
  column: string;

  @NumberField({ description: 'The score in the run that is compared with.' })
  before: number;

  @NumberField({ description: 'The score in the run of the path.' })
  after: number;
}

export class RunComparisonResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Id of the run in the path.' })
  report_id: number;

  @IntegerField({ description: 'Id of the run that it is compared with.' })
  other_report_id: number;

  @ApiProperty({
    type: () => [ColumnComparisonBody],
    description: 'Comparisons of the scored columns, matched by name.',
  })
  columns: ColumnComparisonBody[];

  @ListField('string', { description: 'Names of scored columns that the other run does not have.' })
  unmatched_columns: string[];

  @ApiProperty({
    type: () => [ChangedRowBody],
    description: 'Cells with a different score: those that became worse first, the largest changes before the others.',
  })
  changes: ChangedRowBody[];

  @IntegerField({ description: 'Number of cells with a different score, beyond `max_changes` as well.' })
  changes_total: number;
}

export function toRunComparisonResponse(compared: ComparedRuns): RunComparisonResponse {
  const { run, other, columns, unmatched, changed, changes } = compared;
  return {
    success: true,
    report_id: run.id,
    other_report_id: other.id,
    columns: columns.map((column) => ({
      name: column.name,
      scale: column.scale,
      scorer_changed: column.scorerChanged,
      ...toComparison(column.comparison),
      own: toEstimate(column.own),
      other: toEstimate(column.other),
    })),
    unmatched_columns: unmatched,
    changes: changed.map(({ position, ...change }) => ({ row: position, ...change })),
    changes_total: changes,
  };
}

function toEstimate({ n, value, standardError, interval }: ComparedRuns['columns'][number]['own']): RunEstimateBody {
  return { n, score: value, standard_error: standardError, confidence_interval: interval };
}
