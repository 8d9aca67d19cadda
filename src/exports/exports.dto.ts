import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { CreatedAtField, SuccessField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { REQUEST_FILTER_GROUP } from '../requests/index.js';
import { TRACE_FILTER_GROUP } from '../traces/index.js';
import type { JsonObject } from '../platform/json.js';
import {
  type Compression,
  COMPRESSIONS,
  type Export,
  EXPORT_FORMATS,
  EXPORT_SOURCES,
  EXPORT_STATUSES,
  type ExportFormat,
  type ExportSourceName,
  type ExportStatus,
} from './export.entity.js';
import type { NewExport } from './exports.service.js';
import { SOURCES } from './sources/export-sources.js';

const anyOf = (...names: string[]) => ({ anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) });
z.unknown().meta({
  id: 'ExportFilterGroup',
  description: 'A filter group for the source of the export.',
  ...anyOf(REQUEST_FILTER_GROUP, TRACE_FILTER_GROUP),
});
z.unknown().meta({ id: 'ExportFilter', ...anyOf('RequestFilter', 'TraceFilter') });

const COLUMNS = Object.values(SOURCES).map(
  ({ name, columns }) => `For ${name}: ${columns.map((column) => `\`${column.name}\``).join(', ')}.`,
);

export const EXPORTS_PATH = '/api/public/v2/exports';

export class ExportPath {
  @UuidField({ query: true, description: 'The id of the export, which `POST /api/public/v2/exports` answered.' })
  export_id: string;
}

@Closed()
export class ListExportsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

@Closed()
export class CreateExportRequest {
  @EnumField(EXPORT_SOURCES, {
    example: 'requests',
    description: 'The kind of rows: request logs, traces, or the spans of traces that match.',
  })
  source: ExportSourceName;

  @EnumField(EXPORT_FORMATS, {
    description: 'The format of the file: `csv`, `jsonl` (one JSON object per line) or `parquet`.',
    example: 'csv',
  })
  format: ExportFormat;

  @JsonObjectField({
    optional: true,
    nullable: true,
    like: 'ExportFilterGroup',
    description:
      'A filter as in the search of the source: `{logic: AND|OR, filters: […]}`. Without a filter everything is exported.',
    example: { filters: [] },
  })
  filter_group?: JsonObject | null;

  @ListField('object', {
    optional: true,
    nullable: true,
    like: 'ExportFilter',
    description: 'Further filters, all of which have to match.',
  })
  filters?: JsonObject[] | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: 'Words to search for, as in the search of the source.',
  })
  q?: string | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: 100,
    description: `The columns of the file, in this order. All columns by default.\n\n${COLUMNS.join('\n\n')}`,
  })
  columns?: string[] | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'The largest number of rows in the file. Default: all rows.',
  })
  limit?: number | null;

  @EnumField(COMPRESSIONS, {
    optional: true,
    default: 'none',
    description:
      '`gzip` produces a .gz file. Parquet files are compressed page by page: with gzip, otherwise with Snappy.',
  })
  compression?: Compression;

  @BooleanField({
    optional: true,
    default: true,
    description:
      'For CSV: whether to put an apostrophe before texts that a spreadsheet would run as a formula (= + - @ tab).',
  })
  escape_formulas?: boolean;

  @BooleanField({
    optional: true,
    default: false,
    description: 'For CSV: whether to begin with a byte order mark, as some spreadsheets need it.',
  })
  bom?: boolean;
}

export class ExportBody {
  @UuidField({ description: 'The id of the export.' })
  id: string;

  @EnumField(EXPORT_SOURCES, { description: 'The kind of rows: request logs, traces, or spans.' })
  source: ExportSourceName;

  @EnumField(EXPORT_FORMATS, { description: 'The format of the file.' })
  format: ExportFormat;

  @EnumField(COMPRESSIONS, { description: 'How the file is compressed.' })
  compression: Compression;

  @ListField('string', { description: 'The columns of the file, in their order.' })
  columns: string[];

  @EnumField(EXPORT_STATUSES, {
    description:
      '`queued` and `running` until the file is complete, then `completed`, and `expired` once the file was removed. `cancelled`: a DELETE ended it. `failed`: see `error_message`.',
  })
  status: ExportStatus;

  @IntegerField({
    description: 'Percent of the rows that are written. Returns to 0 if a worker dies and another one starts over.',
  })
  progress: number;

  @IntegerField({ description: 'The number of rows written so far.' })
  row_count: number;

  @IntegerField({
    nullable: true,
    description: 'The number of rows the file will have; null while unknown, or if there are too many to count.',
  })
  total: number | null;

  @IntegerField({ description: 'The size of the file so far, in bytes.' })
  bytes: number;

  @TextField({
    nullable: true,
    description: 'The SHA-256 of the file in hexadecimal digits; null until it is complete.',
  })
  sha256: string | null;

  @BooleanField({
    description:
      'True when traces were still waiting for search as the file was made: those that match may be missing. Export again to have them.',
  })
  partial: boolean;

  @TextField({ nullable: true, description: 'Why the export failed; null unless `status` is `failed`.' })
  error_message: string | null;

  @IntegerField({ nullable: true, description: 'The API key that requested the export.' })
  created_by: number | null;

  @CreatedAtField('the export')
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When it completed, failed or was cancelled; null before that.' })
  finished_at: string | null;

  @DateTimeField({ nullable: true, description: 'When the file is removed; null until it is complete.' })
  expires_at: string | null;

  @TextField({ description: 'The path of this export.' })
  status_url: string;

  @TextField({ description: 'The path of the file.' })
  download_url: string;
}

export class ExportOperationResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ExportBody, description: 'The export with its progress.' })
  export: ExportBody;
}

export class DeleteExportResponse extends ExportOperationResponse {
  @BooleanField({ description: 'True if the export was deleted; false if it was cancelled and stays in the list.' })
  deleted: boolean;
}

export class ExportsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [ExportBody],
    description: 'The exports of the page, newest first unless `order` is `asc`.',
  })
  data: ExportBody[];
}

export function toNewExport(body: CreateExportRequest): NewExport {
  return {
    source: body.source,
    format: body.format,
    filterGroup: body.filter_group ?? null,
    filters: body.filters ?? null,
    q: body.q ?? null,
    columns: body.columns ?? null,
    limit: body.limit ?? null,
    compression: body.compression ?? 'none',
    escapeFormulas: body.escape_formulas ?? true,
    bom: body.bom ?? false,
  };
}

export function toExportBody(row: Export): ExportBody {
  const status_url = `${EXPORTS_PATH}/${row.id}`;
  return {
    id: row.id,
    source: row.source,
    format: row.format,
    compression: row.request.compression,
    columns: row.request.columns,
    status: row.status,
    progress: progressOf(row),
    row_count: Number(row.rowCount),
    total: row.rowTotal === null ? null : Number(row.rowTotal),
    bytes: Number(row.bytes),
    sha256: row.sha256,
    partial: row.isPartial,
    error_message: row.errorMessage,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
    status_url,
    download_url: `${status_url}/download`,
  };
}

/** 99 at most until the file is complete. */
function progressOf({ status, rowCount, rowTotal }: Export): number {
  if (status === 'completed' || status === 'expired') return 100;
  const [done, total] = [Number(rowCount), Number(rowTotal ?? 0)];
  return total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100));
}
