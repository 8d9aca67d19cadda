import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AccessErrors, auditInstallation, Workspace } from '../../access/index.js';
import { closeWorkspace } from '../../administration/index.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { WorkspaceDeletion } from './workspace-deletion.entity.js';
import { WorkspaceDeletionErrors } from './workspace-deletions.errors.js';

export interface WantedDeletion {
  workspaceId: number;
  /** The name of the workspace, as a confirmation; null for a dry run. */
  name: string | null;
  dryRun: boolean;
}

/** Latest deletions that the list shows. */
const LISTED = 1000;

/** Deletions of workspaces, for the operator. */
@Injectable()
export class WorkspaceDeletions {
  constructor(
    private readonly db: DataSource,
    @InjectNotifier('workspace-deletions') private readonly workers: WorkNotifier,
  ) {}

  /**
   * Closes the workspace at once and has its rows deleted by a worker; a dry run only counts them. A deletion that failed can be
   * repeated. Throws workspace_not_found, workspace_name_differs and workspace_deletion_running.
   */
  async create(
    requestId: string,
    { workspaceId, name: confirmed, dryRun }: WantedDeletion,
  ): Promise<WorkspaceDeletion> {
    const id = randomUUID();
    const deletion = await this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'workspace-deletions', workspaceId);
      const { name } = await findDeletable(tx, workspaceId);
      if (!dryRun && confirmed !== name) throw WorkspaceDeletionErrors.workspace_name_differs(workspaceId);
      const isRunning = await tx.existsBy(WorkspaceDeletion, { workspaceId, finishedAt: IsNull() });
      if (isRunning) throw WorkspaceDeletionErrors.workspace_deletion_running(workspaceId);
      if (!dryRun) {
        await closeWorkspace(tx, workspaceId);
        const deed = { action: 'workspace.delete', entityId: workspaceId, details: { name, deletion_id: id } };
        await auditInstallation(tx, requestId, [deed]);
      }
      await tx.insert(WorkspaceDeletion, { workspaceId, id, name, dryRun, requestId });
      return tx.findOneByOrFail(WorkspaceDeletion, { workspaceId, id });
    });
    this.workers.notify();
    return deletion;
  }

  /** Newest first. */
  list(): Promise<WorkspaceDeletion[]> {
    return this.db.manager.find(WorkspaceDeletion, { order: { createdAt: 'DESC', id: 'ASC' }, take: LISTED });
  }
}

/** An open workspace, or one whose last deletion failed. Throws workspace_not_found. */
async function findDeletable(tx: EntityManager, workspaceId: number): Promise<Workspace> {
  const workspace = await tx.findOneBy(Workspace, { id: workspaceId });
  if (!workspace) throw AccessErrors.workspace_not_found(workspaceId);
  if (!workspace.deletedAt) return workspace;
  const last = await tx.findOne(WorkspaceDeletion, {
    where: { workspaceId, dryRun: false },
    order: { createdAt: 'DESC' },
  });
  if (last?.status !== 'failed') throw AccessErrors.workspace_not_found(workspaceId);
  return workspace;
}
