import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import { auditAll, WorkspacesService } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { domains } from '../../platform/domain.js';
import { type Manifest } from '../archive/archive-format.js';
import { countsOf } from '../archive/restore-workspace.js';
import { openArchive, type OpenArchive } from '../archive/write-archive.js';
import { WorkspaceExportErrors } from './workspace-exports.errors.js';

/** Exports of a process at a time. Each one holds a connection and a transaction, which keeps old rows from being vacuumed. */
const MOST_AT_ONCE = 2;

/** Exports of workspaces over HTTP, for the operator. */
@Injectable()
export class WorkspaceExports implements OnModuleDestroy {
  private readonly log = new Logger(WorkspaceExports.name);
  private readonly open = new Set<Readable>();
  private opening = 0;

  constructor(
    private readonly db: DataSource,
    private readonly workspaces: WorkspacesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleDestroy(): void {
    for (const file of this.open) file.destroy();
  }

  /** The archive of a workspace as of this moment, while it is written. Throws workspace_not_found and workspace_exports_busy. */
  async start(requestId: string, workspaceId: number): Promise<Readable> {
    if (this.open.size + this.opening >= MOST_AT_ONCE) throw WorkspaceExportErrors.workspace_exports_busy(MOST_AT_ONCE);
    this.opening++;
    try {
      const workspace = await this.workspaces.get(workspaceId);
      const stored = [...domains.values()].flatMap(({ secrets }) => secrets ?? []);
      const archive = await openArchive(this.config.databaseUrl, workspace, stored);
      return await this.follow(archive, { requestId, workspaceId });
    } finally {
      this.opening--;
    }
  }

  private async follow(
    { file, completed }: OpenArchive,
    origin: { requestId: string; workspaceId: number },
  ): Promise<Readable> {
    this.open.add(file);
    file.once('close', () => this.open.delete(file));
    completed
      .then((manifest) => auditExported(this.db, origin, manifest))
      .catch((error: Error) => this.log.warn(`The export of workspace ${origin.workspaceId} ended: ${error.message}`));
    try {
      await auditExport(this.db, origin);
      return file;
    } catch (error) {
      file.destroy();
      throw error;
    }
  }
}

interface Origin {
  requestId: string;
  workspaceId: number;
}

/** Writes the audit entry before the first byte is sent, so no export lacks one. */
export const auditExport = (db: DataSource, origin: Origin): Promise<void> =>
  record(db, origin, { action: 'workspace.export' });

/** Written when the whole archive was read. */
export const auditExported = (db: DataSource, origin: Origin, { exported_at, tables }: Manifest): Promise<void> => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return record(db, origin, {
    action: 'workspace.export_end',
    details: { exported_at, rows, counts: countsOf(tables) },
  });
};

function record(
  db: DataSource,
  { requestId, workspaceId }: Origin,
  deed: { action: string; details?: object },
): Promise<void> {
  return auditAll(db.manager, { workspaceId, keyId: null, requestId }, [{ ...deed, entityId: workspaceId }]);
}
