import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import type { RequestLogImport } from './request-log-import.js';
import { RequestLogsImporter } from './request-logs.importer.js';

/** Rows of request logs outside of an import. */
@Injectable()
export class LogRows {
  constructor(private readonly importer: RequestLogsImporter) {}

  /** The rows of an import, title → value. They are all in memory, so keep them few. */
  async read(tx: EntityManager, workspaceId: number, request: RequestLogImport): Promise<JsonObject[]> {
    const plan = await this.importer.planLogs(tx, workspaceId, request);
    const rows = await this.importer.read(tx, { workspaceId }, plan, { from: 0, to: plan.rowCount });
    return rows.map((values) => Object.fromEntries(plan.titles.map((title, index) => [title, values[index]!])));
  }
}
