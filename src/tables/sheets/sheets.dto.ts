import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, EnumField, IntegerField, TextField, UuidField } from '../../platform/http/fields.js';
import { TABLE_ID, SHEET_ID, SHEET_TITLE } from '../shared/field-descriptions.js';
import {
  BodyIndexField,
  BodyNameField,
  CreatedAtField,
  MessageField,
  SuccessField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { PromptFilterQuery } from '../../grid/prompt-links/column-prompts.queries.js';
import { AUTO_RECALCULATE, type AutoRecalculate } from '../../grid/shared/auto-recalculate.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';

export class TablePath {
  @UuidField({ query: true, description: TABLE_ID })
  table_id: string;
}

export class SheetPath extends TablePath {
  @UuidField({ query: true, description: SHEET_ID })
  sheet_id: string;
}

export class ListSheetsQuery extends PromptFilterQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('asc')
  order?: Order;
}

export class UpdateSheetRequest {
  @BodyNameField({
    description: 'A new title, which need not be unique. Null leaves the title as it is.',
    example: 'Returns of May',
  })
  title?: string | null;

  @BodyIndexField('The position the sheet moves to, from 0. A position beyond the last one means the end.')
  index?: number | null;

  @EnumField(AUTO_RECALCULATE, {
    optional: true,
    nullable: true,
    description:
      'Which stale cells are computed automatically: none (`off`), those that the server computes alone (`deterministic`), or `all`, including those of models and other services, which may cost money. Cells that are already stale are computed as well.',
    example: 'deterministic',
  })
  auto_recalculate?: AutoRecalculate | null;
}

export class SheetBody {
  @UuidField({ description: SHEET_ID })
  id: string;

  @UuidField({ description: 'Id of the table that the sheet belongs to.' })
  table_id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @TextField({ description: SHEET_TITLE, example: 'Sheet 1' })
  title: string;

  @IntegerField({ description: 'Position among the sheets of the table, from 0.' })
  index: number;

  @IntegerField({
    description: 'Number of rows, without deleted ones. Rows that a COMPOSITION column brings in count as well.',
  })
  row_count: number;

  @IntegerField({ description: 'Number of the newest version. It grows with every change.' })
  version_count: number;

  @EnumField(AUTO_RECALCULATE, { description: 'Which stale cells are computed automatically.' })
  auto_recalculate: AutoRecalculate;

  @CreatedAtField('the sheet')
  created_at: string;

  @DateTimeField({
    description:
      'When the newest version of the sheet was made: every change of its content, title or position makes one.',
  })
  updated_at: string;
}

export class SheetResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => SheetBody, description: 'The sheet, without its columns and rows.' })
  sheet: SheetBody;
}

export class UpdateSheetResponse extends SheetResponse {
  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class DeleteSheetResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;
}

export class SheetsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [SheetBody],
    description: 'The sheets of this page, by default from the first position on.',
  })
  data: SheetBody[];
}

export function toSheetBody(sheet: Sheet): SheetBody {
  return {
    id: sheet.id,
    // These routes only reach sheets of tables.
    table_id: sheet.tableId!,
    workspace_id: sheet.workspaceId,
    title: sheet.title,
    index: sheet.index,
    row_count: sheet.rows.count,
    version_count: sheet.version,
    auto_recalculate: sheet.autoRecalculate,
    created_at: sheet.createdAt.toISOString(),
    updated_at: sheet.updatedAt.toISOString(),
  };
}
