import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
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
  description: 'A group for the source of the export.',
  ...anyOf(REQUEST_FILTER_GROUP, TRACE_FILTER_GROUP),
});
z.unknown().meta({ id: 'ExportFilter', ...anyOf('RequestFilter', 'TraceFilter') });

const COLUMNS = Object.values(SOURCES).map(
  ({ name, columns }) => `For ${name}: ${columns.map((column) => `\`${column.name}\``).join(', ')}.`,
);

export const EXPORTS_PATH = '/api/public/v2/exports';

export class ExportPath {
  @UuidField({ query: true })
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
    description: 'A row per request log, per trace, or per span of the traces that match.',
  })
  source: ExportSourceName;

  @EnumField(EXPORT_FORMATS, { example: 'csv' })
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
    description: 'Further filters, all of which must hold.',
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
    description: 'The largest number of rows in the file. All rows by default.',
  })
  limit?: number | null;

  @EnumField(COMPRESSIONS, {
    optional: true,
    default: 'none',
    description: 'gzip gives a .gz file. Parquet compresses its pages itself: with gzip, or else with Snappy.',
  })
  compression?: Compression;

  @BooleanField({
    optional: true,
    default: true,
    description: 'CSV: put an apostrophe before texts that a spreadsheet would run as a formula (= + - @ tab).',
  })
  escape_formulas?: boolean;

  @BooleanField({ optional: true, default: false, description: 'CSV: begin with a byte order mark, for spreadsheets.' })
  bom?: boolean;
}

export class ExportBody {
  @UuidField()
  id: string;

  @EnumField(EXPORT_SOURCES)
  source: ExportSourceName;

  @EnumField(EXPORT_FORMATS)
  format: ExportFormat;

  @EnumField(COMPRESSIONS)
  compression: Compression;

  @ListField('string')
  columns: string[];

  @EnumField(EXPORT_STATUSES)
  status: ExportStatus;

  @IntegerField({ description: 'Percent. It goes back to 0 when a worker dies and another one starts again.' })
  progress: number;

  @IntegerField({ description: 'Rows written so far.' })
  row_count: number;

  @IntegerField({ nullable: true, description: 'Rows the file will have; null while unknown, or too many to count.' })
  total: number | null;

  @IntegerField({ description: 'Size of the file so far.' })
  bytes: number;

  @TextField({ nullable: true, description: 'SHA-256 of the file, in hexadecimal digits.' })
  sha256: string | null;

  @BooleanField({
    description:
      'True when traces were still waiting for search as the file was made: those that match may be missing. Export again to have them.',
  })
  partial: boolean;

  @TextField({ nullable: true })
  error_message: string | null;

  @IntegerField({ nullable: true, description: 'The API key that asked for it.' })
  created_by: number | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField({ nullable: true })
  finished_at: string | null;

  @DateTimeField({ nullable: true, description: 'The file can be downloaded until then.' })
  expires_at: string | null;

  @TextField({ description: 'Path of this export.' })
  status_url: string;

  @TextField({ description: 'Path of the file.' })
  download_url: string;
}

export class ExportOperationResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ExportBody })
  export: ExportBody;
}

export class DeleteExportResponse extends ExportOperationResponse {
  @BooleanField({ description: 'False when the export was only cancelled. It stays in the list.' })
  deleted: boolean;
}

export class ExportsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ExportBody] })
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
