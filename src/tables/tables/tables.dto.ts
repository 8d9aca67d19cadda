import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  JsonObjectField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { TABLE_ID } from '../shared/field-descriptions.js';
import {
  BodyIdField,
  BodyNameField,
  CreatedAtField,
  FolderIdField,
  MessageField,
  QueryIdField,
  SuccessField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { PromptFilterQuery } from '../../grid/prompt-links/column-prompts.queries.js';
import { SheetBody } from '../sheets/sheets.dto.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { Table } from '../shared/table.entity.js';

export class CreateTableRequest {
  @BodyNameField({
    description:
      'Title of the table, which need not be unique. By default "Untitled Table", then "Untitled Table 2" and so on.',
    example: 'Support answers',
  })
  title?: string | null;

  @BodyIdField('Id of the folder to create the table in; without it the table is at the top level.')
  folder_id?: number | null;

  @BooleanField({
    optional: true,
    default: true,
    description: 'Whether the table starts with a sheet that has one text column and one row.',
  })
  create_default_sheet?: boolean;
}

export class UpdateTableRequest {
  @BodyNameField({ description: 'A new title. Null leaves it as it is.', example: 'Answers' })
  title?: string | null;

  @BodyIdField('Id of the folder to move the table to. Null moves it to the top level.')
  folder_id?: number | null;
}

export class DeleteTableResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;
}

export class ListTablesQuery extends PromptFilterQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;

  @QueryIdField('Only tables directly in the folder with this id.')
  folder_id?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only tables whose title contains this text, in any letter case.',
  })
  name?: string;
}

export class TableBody {
  @UuidField({ description: TABLE_ID })
  id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @TextField({ description: 'Title of the table. Several tables may have the same one.', example: 'Support answers' })
  title: string;

  @FolderIdField('the table')
  folder_id: number | null;

  @IntegerField({ description: 'Number of sheets, without deleted ones.' })
  sheet_count: number;

  @CreatedAtField('the table')
  created_at: string;

  @DateTimeField({
    description: 'When the title or the folder was last changed, in UTC. Changes of the sheets do not count.',
  })
  updated_at: string;

  @DateTimeField({
    nullable: true,
    description: 'Always null: deleted tables are neither listed nor found. Kept for clients that check it.',
  })
  deleted_at: string | null;
}

export class TableDetailBody extends TableBody {
  @JsonObjectField({ values: { type: 'integer' }, description: 'The number of rows of each sheet, by its id.' })
  sheet_row_counts: Record<string, number>;
}

export class TableResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => TableDetailBody,
    description: 'The table, with the number of rows of each of its sheets.',
  })
  table: TableDetailBody;
}

export class CreateTableResponse extends TableResponse {
  @MessageField()
  message: string;

  @ApiProperty({
    type: () => SheetBody,
    required: false,
    description: 'The first sheet; absent when the request asked for none.',
  })
  default_sheet?: SheetBody;
}

export class TablesResponse extends ListEnvelope {
  @ApiProperty({ type: () => [TableBody], description: 'The tables of this page, by default the newest first.' })
  data: TableBody[];
}

export function toTableBody(table: Table, sheetCount: number): TableBody {
  return {
    id: table.id,
    workspace_id: table.workspaceId,
    title: table.title,
    folder_id: table.folderId,
    sheet_count: sheetCount,
    created_at: table.createdAt.toISOString(),
    updated_at: table.updatedAt.toISOString(),
    deleted_at: table.deletedAt?.toISOString() ?? null,
  };
}

export function toTableDetailBody(table: Table, sheets: Sheet[]): TableDetailBody {
  const counts = sheets.map((sheet) => [sheet.id, sheet.rows.count]);
  return {
    ...toTableBody(table, sheets.length),
    sheet_row_counts: Object.fromEntries(counts) as Record<string, number>,
  };
}
