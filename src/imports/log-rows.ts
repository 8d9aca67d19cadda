import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import type { ImportedValue } from './importer.js';
import { type RequestLogImport, titlesOf } from './request-log-import.js';
import { RequestLogsImporter } from './request-logs.importer.js';

/** Columns by name, besides the input and the output. Unlike in an import, no variables means none. */
export type NamedColumns = Pick<RequestLogImport, 'variables' | 'fields'>;

/** Rows of request logs outside of an import. */
@Injectable()
export class LogRows {
  constructor(private readonly importer: RequestLogsImporter) {}

  /** The rows of an import, title → value. They are all in memory, so keep them few. */
  async read(tx: EntityManager, workspaceId: number, request: RequestLogImport): Promise<JsonObject[]> {
    const plan = await this.importer.planLogs(tx, workspaceId, request);
    const rows = await this.importer.read(tx, { workspaceId }, plan, { from: 0, to: plan.rowCount });
    return rows.map((values) => toRow(plan.titles, values));
  }

  /** The rows of some logs by their id, with the named columns and no others. Deleted logs are missing. */
  async readNamed(
    tx: EntityManager,
    workspaceId: number,
    columns: NamedColumns,
    ids: number[],
  ): Promise<Map<number, JsonObject>> {
    const titles = titlesOf(columns);
    const found = await this.importer.readValues(tx, workspaceId, titles, { ...columns, ids });
    return new Map([...found].map(([id, values]) => [id, toRow(titles, values)]));
  }
}

function toRow(titles: string[], values: ImportedValue[]): JsonObject {
  return Object.fromEntries(titles.map((title, index) => [title, values[index]!]));
}
