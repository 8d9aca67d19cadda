import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { audit, type Caller, demand } from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { Export, ExportChunk, type ExportFormat, type ExportRequest, type ExportSourceName } from './export.entity.js';
import { ExportErrors } from './exports.errors.js';
import { deleteChunks } from './exports.queries.js';
import { SOURCES } from './sources/export-sources.js';

/** Maximum number of queued and running exports of a workspace. */
const MOST_OPEN = 20;

export interface NewExport extends Omit<ExportRequest, 'columns'> {
  source: ExportSourceName;
  format: ExportFormat;
  /** null selects all columns. */
  columns: string[] | null;
}

@Injectable()
export class ExportsService {
  constructor(
    private readonly db: DataSource,
    @InjectNotifier('exports') private readonly workers: WorkNotifier,
  ) {}

  /** Starts an export. Throws export_column_unknown, export_too_many and the errors of filters. */
  async create(caller: Caller, input: NewExport): Promise<Export> {
    const { workspaceId, keyId: createdBy } = caller;
    const { source, format, ...wishes } = input;
    const request = { ...wishes, columns: resolveColumns(source, input.columns) };
    await SOURCES[source].condition(this.db.manager, workspaceId, request, new SqlParameters());
    const id = randomUUID();
    const created = await this.db.transaction(async (tx) => {
      await refuseTooMany(tx, workspaceId);
      await tx.insert(Export, { workspaceId, id, source, format, request: request as object, createdBy });
      await audit(tx, caller, { action: 'export.create', entityId: id, details: { source, format } });
      return getExport(tx, caller, id);
    });
    this.workers.notify();
    return created;
  }

  /** Returns up to `limit + 1` exports. The extra one shows that there are more. */
  list({ workspaceId }: Caller, page: CreatedPage): Promise<Export[]> {
    return readCreated(this.db.manager, Export, { workspaceId }, page);
  }

  get(caller: Caller, id: string): Promise<Export> {
    return getExport(this.db.manager, caller, id);
  }

  /**
   * Cancels an export that has not ended, or deletes one that has, with its file. Exports of other keys need ADMIN.
   * Returns the cancelled export, or the deleted one as it was.
   */
  remove(caller: Caller, id: string): Promise<{ export: Export; deleted: boolean }> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT FROM exports WHERE workspace_id = $1 AND id = $2 FOR UPDATE', [workspaceId, id]);
      const known = await getExport(tx, caller, id);
      if (known.createdBy !== caller.keyId) demand(caller, 'ADMIN');
      const deleted = known.finishedAt !== null;
      await audit(tx, caller, { action: deleted ? 'export.delete' : 'export.cancel', entityId: id });
      if (deleted) {
        await tx.delete(Export, { workspaceId, id });
        return { export: known, deleted };
      }
      const end = { chunkCount: 0, bytes: '0', leaseUntil: null, finishedAt: new Date(), expiresAt: new Date() };
      await tx.update(Export, { workspaceId, id }, { status: 'cancelled', ...end });
      await deleteChunks(tx, { workspaceId, id });
      return { export: await getExport(tx, caller, id), deleted };
    });
  }

  /** An export that has a file. Throws export_not_ready and export_expired. */
  async getFinished(caller: Caller, id: string): Promise<Export> {
    const found = await this.get(caller, id);
    if (found.status === 'expired') throw ExportErrors.export_expired(id);
    if (found.status !== 'completed') throw ExportErrors.export_not_ready(id, found.status);
    return found;
  }

  /** Streams the file in chunks. Throws in the middle if the export is deleted meanwhile. */
  async *read({ workspaceId, id: exportId, chunkCount }: Export): AsyncGenerator<Buffer> {
    for (let number = 0; number < chunkCount; number++) {
      const chunk = await this.db.manager.findOneBy(ExportChunk, { workspaceId, exportId, number });
      if (!chunk) throw new Error(`Export ${exportId} was deleted while it was being sent.`);
      yield chunk.content;
    }
  }
}

async function getExport(tx: EntityManager, { workspaceId }: Caller, id: string): Promise<Export> {
  const found = await tx.findOneBy(Export, { workspaceId, id });
  if (!found) throw ExportErrors.export_not_found(id);
  return found;
}

async function refuseTooMany(tx: EntityManager, workspaceId: number): Promise<void> {
  await lockUntilCommit(tx, 'exports', workspaceId);
  const open = await tx.countBy(Export, { workspaceId, status: In(['queued', 'running']) });
  if (open >= MOST_OPEN) throw ExportErrors.export_too_many(MOST_OPEN);
}

function resolveColumns(source: ExportSourceName, wanted: string[] | null): string[] {
  const known = SOURCES[source].columns.map(({ name }) => name);
  const unknown = wanted?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw ExportErrors.export_column_unknown(unknown, source, known);
  return [...new Set(wanted ?? known)];
}
