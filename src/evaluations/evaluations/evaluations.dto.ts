import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import { OwnWorkspaceField } from '../../folders/index.js';
import { BooleanField, EnumField, TextField } from '../../platform/http/fields.js';
import { PathIdField, SuccessField } from '../../platform/http/common-fields.js';
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
    description: 'Only pipelines whose name contains this text, in any letter case.',
  })
  name?: string;

  @EnumField(['active', 'deleted', 'all'], {
    optional: true,
    query: true,
    default: 'active',
    description: 'Which pipelines to list: those in use, archived ones (`deleted`), or both.',
  })
  status?: 'active' | 'deleted' | 'all';

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'Whether to list the runs of each pipeline, newest first.',
  })
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
  @PathIdField('Id of a pipeline or a run.')
  evaluation_id: number;
}

export class EvaluationRunBody extends ReportBody {
  @EnumField(REPORT_STATUSES, { description: '`COMPLETED` when every cell is final and the score is known.' })
  status: string;

  @ApiProperty({ type: () => ReportStats, description: 'How many cells of the run are in which state.' })
  stats: ReportStats;
}

export class EvaluationBody extends ReportSummaryBody {
  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs attached to the pipeline.' })
  external_ids: ExternalIdBody[];

  @ApiProperty({
    type: () => [EvaluationRunBody],
    required: false,
    description: 'The runs of the pipeline, newest first; present only with `include_runs`.',
  })
  runs?: EvaluationRunBody[];
}

class EvaluationPage extends BriefNumberedPage {
  @SuccessField()
  success: true;

  @TextField({ description: 'Always `success`.', example: 'success' })
  message: string;
}

export class EvaluationsResponse extends EvaluationPage {
  @ApiProperty({ type: () => [EvaluationBody], description: 'The pipelines of this page, the newest first.' })
  evaluations: EvaluationBody[];
}

const cellValue = z
  .unknown()
  .meta({ id: 'EvaluationCellValue', description: 'Any JSON value; null where there is none.' });

const rowCell = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('dataset').meta({ description: 'A cell of the dataset.' }),
        value: z.string().meta({ description: 'Its text; empty when there is none.' }),
      })
      .meta({ id: 'DatasetRowCell' }),
    z
      .strictObject({
        type: z.literal('eval').meta({ description: 'A cell of an evaluation column.' }),
        status: z
          .enum(['PASSED', 'FAILED', 'RUNNING', 'SKIPPED'])
          .meta({ description: 'PASSED: there is a value, whatever it is. FAILED: it could not be computed.' }),
        value: cellValue.describe('The computed value; null where there is none.'),
        error_message: z.string().optional().meta({ description: 'Why it could not be computed; absent otherwise.' }),
        reused_from: z
          .string()
          .optional()
          .meta({ description: 'When the value was computed that this cell has taken over; absent otherwise.' }),
      })
      .meta({ id: 'EvaluatedRowCell' }),
  ])
  .meta({
    id: 'EvaluationRowCell',
    description:
      'A cell of the dataset or of an evaluation column. SKIPPED: nothing was computed, or a person has not answered yet. `reused_from`: when the value was computed that the cell shares with an earlier one of the same inputs.',
  });

export class EvaluationRowsResponse extends EvaluationPage {
  @ApiProperty({ type: [String], description: 'Names of the columns, those of the dataset first.' })
  columns: string[];

  @SchemaField(z.array(z.array(rowCell)), {
    description: 'The rows of this page: for each a list of cells, in the order of `columns`.',
  })
  rows: unknown[][];
}
