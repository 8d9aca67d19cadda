import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import { OwnWorkspaceField } from '../../folders/index.js';
import { BooleanField, EnumField, IntegerField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { BriefNumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { z } from 'zod';
import { REPORT_STATUSES, ReportBody, ReportStats, ReportSummaryBody } from '../reports/reports.dto.js';

const PER_PAGE = 10;

export class ListEvaluationsQuery extends CommonListQuery {
  @PageField()
  page?: number;

  @PerPageField(PER_PAGE)
  per_page?: number;

  @OwnWorkspaceField({ query: true })
  workspace_id?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only pipelines whose name contains this. Letter case does not matter.',
  })
  name?: string;

  @EnumField(['active', 'deleted', 'all'], { optional: true, query: true, default: 'active' })
  status?: 'active' | 'deleted' | 'all';

  @BooleanField({ optional: true, query: true, default: false, description: 'Add the runs of each, the newest first.' })
  include_runs?: boolean;
}

@Closed()
export class EvaluationRowsQuery {
  @PageField()
  page?: number;

  @PerPageField(PER_PAGE)
  per_page?: number;

  @OwnWorkspaceField({ query: true })
  workspace_id?: number;
}

export class EvaluationPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID, description: 'A pipeline or a run.' })
  evaluation_id: number;
}

export class EvaluationRunBody extends ReportBody {
  @EnumField(REPORT_STATUSES)
  status: string;

  @ApiProperty({ type: () => ReportStats })
  stats: ReportStats;
}

export class EvaluationBody extends ReportSummaryBody {
  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];

  @ApiProperty({ type: () => [EvaluationRunBody], required: false, description: 'With `include_runs` only.' })
  runs?: EvaluationRunBody[];
}

class EvaluationPage extends BriefNumberedPage {
  @ApiProperty({ example: true })
  success: true;

  @TextField({ example: 'success' })
  message: string;
}

export class EvaluationsResponse extends EvaluationPage {
  @ApiProperty({ type: () => [EvaluationBody] })
  evaluations: EvaluationBody[];
}

const cellValue = z
  .unknown()
  .meta({ id: 'EvaluationCellValue', description: 'Any JSON value; null where there is none.' });

const rowCell = z
  .union([
    z.strictObject({ type: z.literal('dataset'), value: z.string() }),
    z.strictObject({
      type: z.literal('eval'),
      status: z.enum(['PASSED', 'FAILED', 'RUNNING', 'SKIPPED']),
      value: cellValue,
      error_message: z.string().optional(),
      reused_from: z.string().optional(),
    }),
  ])
  .meta({
    id: 'EvaluationRowCell',
    description:
      'A cell of the dataset or of an evaluation column. SKIPPED: nothing was computed, or a person has not answered yet. `reused_from`: when the value was computed that the cell shares with an earlier one of the same inputs.',
  });

export class EvaluationRowsResponse extends EvaluationPage {
  @ApiProperty({ type: [String], description: 'The names of the columns, those of the dataset first.' })
  columns: string[];

  @SchemaField(z.array(z.array(rowCell)))
  rows: unknown[][];
}
