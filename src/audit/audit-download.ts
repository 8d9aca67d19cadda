import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditCondition, type AuditFilters } from '../administration/index.js';
import { keyNameOf } from '../access/index.js';
import { csvLines } from '../platform/csv.js';
import { inIndexOrder } from '../platform/database/index-order.js';
import { isoTimestamp } from '../platform/database/iso-timestamp.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { JsonObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';

export const DOWNLOAD_TYPES = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
} as const;
export type DownloadFormat = keyof typeof DOWNLOAD_TYPES;

/** Entries per statement. No connection is held while they are sent. */
const AT_ONCE = 1000;

interface Row {
  id: string;
  occurred_at: string;
  action: string;
  entity_id: string;
  key_id: number | null;
  key_name: string | null;
  key_last_4: string | null;
  request_id: string;
  details: string;
  position: string | null;
  details_hash: string | null;
  hash: string | null;
}

const COLUMNS = [
  'workspace_id',
  'id',
  'occurred_at',
  'action',
  'entity_type',
  'entity_id',
  'entity_name',
  'source',
  'key_id',
  'key_name',
  'key_last_4',
  'request_id',
  'details',
  'position',
  'details_hash',
  'hash',
] as const;

type Line = Record<(typeof COLUMNS)[number], string | number | JsonObject | null>;

/** Files of audit entries, which are produced while they are sent. */
@Injectable()
export class AuditDownload {
  constructor(private readonly db: DataSource) {}

  /** Pieces of the file, oldest entry first. The first piece is read before this resolves. */
  async open(workspaceId: number, filters: AuditFilters, format: DownloadFormat): Promise<AsyncGenerator<string>> {
    const first = await this.read(workspaceId, filters, '0');
    return this.write({ workspaceId, filters, format, first });
  }

  private async *write(file: {
    workspaceId: number;
    filters: AuditFilters;
    format: DownloadFormat;
    first: Row[];
  }): AsyncGenerator<string> {
    const { workspaceId, filters, format } = file;
    if (format === 'csv') yield toCsv([[...COLUMNS]]);
    for (let rows = file.first; rows.length > 0; rows = await this.read(workspaceId, filters, rows.at(-1)!.id)) {
      yield format === 'csv' ? toCsv(rows.map((row) => toFields(workspaceId, row))) : toJsonLines(workspaceId, rows);
      if (rows.length < AT_ONCE) return;
    }
  }

  private read(workspaceId: number, filters: AuditFilters, after: string): Promise<Row[]> {
    const parameters = new SqlParameters();
    const condition = auditCondition(workspaceId, filters, parameters);
    const read = (tx: EntityManager) =>
      tx.query<Row[]>(
        `SELECT e.id, ${isoTimestamp('e.occurred_at')} AS occurred_at, e.action, e.entity_id, e.key_id, e.request_id,
              e.details::text AS details, k.name AS key_name, k.last_four AS key_last_4, s.position,
              encode(s.details_hash, 'hex') AS details_hash, encode(s.hash, 'hex') AS hash
         FROM audit_entries e
         LEFT JOIN api_keys k ON k.workspace_id = e.workspace_id AND k.id = e.key_id
         LEFT JOIN audit_seals s ON s.workspace_id = e.workspace_id AND s.entry_id = e.id
        WHERE ${condition} AND e.id > ${parameters.add(after)}::bigint ORDER BY e.id LIMIT ${AT_ONCE}`,
        parameters.values,
      );
    return inIndexOrder(this.db.manager, read);
  }
}

function toLine(workspaceId: number, row: Row): Line {
  const details = readJson<JsonObject>(row.details);
  return {
    workspace_id: workspaceId,
    id: Number(row.id),
    occurred_at: row.occurred_at,
    action: row.action,
    entity_type: row.action.split('.')[0]!,
    entity_id: row.entity_id,
    entity_name: typeof details.name === 'string' ? details.name : null,
    source: row.key_id === null ? 'operator' : 'api',
    key_id: row.key_id,
    key_name: row.key_id === null ? null : keyNameOf({ name: row.key_name, lastFour: row.key_last_4 }),
    key_last_4: row.key_last_4,
    request_id: row.request_id,
    details,
    position: row.position === null ? null : Number(row.position),
    details_hash: row.details_hash,
    hash: row.hash,
  };
}

function toFields(workspaceId: number, row: Row): (string | number | null)[] {
  const line = toLine(workspaceId, row);
  return COLUMNS.map((name) => {
    const value = line[name];
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
}

const toJsonLines = (workspaceId: number, rows: Row[]): string =>
  rows.map((row) => `${JSON.stringify(toLine(workspaceId, row))}\n`).join('');

const toCsv = (rows: (string | number | null)[][]): string =>
  csvLines(rows, { escapeFormulas: true, quotes: (value) => value === '' });
