import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json.js';
import { insertBlankSheet, insertSheet, lockTable, type NewSheet } from '../sheets/insert-sheet.js';
import { getSheet, getTable } from '../sheets/lock-sheet.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import {
  findCreation,
  fitsTitle,
  type ImportFile,
  type ImportOperation,
  ImportStarter,
  insertTextColumns,
  MAX_TITLE_LENGTH,
  type NewImport,
  openFile,
  startImport,
  toRequestLogImport,
} from '../../imports/index.js';
import type { SheetSource } from './new-sheets.dto.js';
import { importLimit } from '../../grid/settings/read-settings.js';

const TITLE_FROM_LOGS = 'Request Logs';

interface CreatedSheet {
  sheet: Sheet;
  operation: ImportOperation;
}

/** A source that was checked before anything is stored. */
interface OpenedSource {
  title: string | null;
  start: Omit<NewImport, 'id'>;
  file: ImportFile | null;
}

/** Creates sheets. */
@Injectable()
export class NewSheetsService {
  constructor(
    private readonly db: DataSource,
    private readonly starter: ImportStarter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  createBlank({ workspaceId }: Caller, input: NewSheet): Promise<Sheet> {
    return this.db.transaction(async (tx) => {
      await lockTable(tx, workspaceId, input.tableId);
      return insertBlankSheet(tx, workspaceId, input);
    });
  }

  /**
   * Creates a sheet and starts the import that fills it. A short file has been imported when this returns; sheet and
   * operation are returned as they were at the start. The same `operationId` returns the existing sheet.
   */
  async createFrom(
    caller: Caller,
    input: NewSheet,
    { source, operationId }: { source: SheetSource; operationId?: string | null },
  ): Promise<CreatedSheet> {
    const { workspaceId } = caller;
    // The error of an unknown table has precedence over those of a file.
    await getTable(this.db.manager, workspaceId, input.tableId);
    const opened = await this.open(workspaceId, source);
    const created = await this.db.transaction(async (tx) => {
      await lockTable(tx, workspaceId, input.tableId);
      const known = operationId ? await this.findCreated(tx, caller, input.tableId, operationId) : null;
      return known ?? insertFrom(tx, caller, input, { ...opened, id: operationId ?? randomUUID() });
    });
    await this.starter.begin(created.operation, opened.file?.mostRows ?? Number.POSITIVE_INFINITY);
    return created;
  }

  /** Throws the errors of the source. */
  private async open(workspaceId: number, source: SheetSource): Promise<OpenedSource> {
    if (source.type === 'request_logs') {
      const { prompt_id: promptId, prompt_version_id: promptVersionId, prompt_label_id: promptLabelId } = source;
      const among = { promptId, promptVersionId, promptLabelId, from: source.start_time, to: source.end_time };
      const wishes = { ...source, filter_group: source.filter_group as JsonObject | null | undefined };
      const request = toRequestLogImport(wishes, among);
      return { title: TITLE_FROM_LOGS, start: { source: 'request_logs', request, createsSheet: true }, file: null };
    }
    const maxBytes = await importLimit(this.db.manager, workspaceId, this.config.importMaxBytes);
    const limits = { maxBytes, extensions: ['.csv', '.json'] };
    const file = await openFile(
      { name: source.file_name, content: source.file_content_base64, delimiter: source.delimiter },
      limits,
    );
    const start = { source: 'file' as const, request: file.request, file, createsSheet: true };
    return { title: titleOf(file.name), start, file };
  }

  private async findCreated(
    tx: EntityManager,
    { workspaceId }: Caller,
    tableId: string,
    operationId: string,
  ): Promise<CreatedSheet | null> {
    const operation = await findCreation(tx, { workspaceId, tableId }, operationId);
    if (!operation) return null;
    return { operation, sheet: await getSheet(tx, { workspaceId, tableId, sheetId: operation.sheetId }) };
  }
}

async function insertFrom(
  tx: EntityManager,
  caller: Caller,
  input: NewSheet,
  { id, title, start, file }: OpenedSource & { id: string },
): Promise<CreatedSheet> {
  const sheet = await insertSheet(tx, caller.workspaceId, { ...input, title: input.title ?? title });
  // Clients look for the columns of a file right after the answer.
  if (file) await insertTextColumns(tx, sheet, file.titles, { version: 0, hidden: false });
  return { sheet, operation: await startImport(tx, caller, sheet, { ...start, id }) };
}

/** The name of the file without its extension, if that can be a title. */
function titleOf(fileName: string): string | null {
  const name = fileName.replace(/\.[^.]*$/, '').trim();
  if (name === '') return null;
  return fitsTitle(name) ? name : [...name].slice(0, MAX_TITLE_LENGTH).join('');
}
