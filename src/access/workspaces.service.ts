import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import { auditTwice, type Deed } from './audit.js';
import { type AuthenticatedRequest, type Caller, operatorIn } from './caller.js';
import { type Plan, Workspace } from './workspace.entity.js';

/** Workspaces that are not being deleted. */
const OPEN = { deletedAt: IsNull() };

@Injectable()
export class WorkspacesService {
  constructor(private readonly db: DataSource) {}

  list(): Promise<Workspace[]> {
    return this.db.manager.find(Workspace, { where: OPEN, order: { id: 'ASC' } });
  }

  /**
   * The caller of an administrative route, or the operator acting in the workspace of its path. For a key, other workspaces do not
   * exist.
   */
  async callerIn(request: AuthenticatedRequest, workspaceId: number): Promise<Caller> {
    if (request.caller?.workspaceId === workspaceId) return request.caller;
    if (!request.isOperator) throw AccessErrors.workspace_not_found(workspaceId);
    await this.get(workspaceId);
    return operatorIn(workspaceId, request.id);
  }

  create(request: AuthenticatedRequest, name: string): Promise<Workspace> {
    return this.db.transaction(async (tx) => {
      const workspace = await createWorkspace(tx, name);
      const { id: entityId } = workspace;
      const author = { workspaceId: entityId, requestId: request.id };
      await auditTwice(tx, author, [{ action: 'workspace.create', entityId, details: { name } }]);
      return workspace;
    });
  }

  async get(id: number): Promise<Workspace> {
    const workspace = await this.db.manager.findOneBy(Workspace, { id, ...OPEN });
    if (!workspace) throw AccessErrors.workspace_not_found(id);
    return workspace;
  }

  async update(request: AuthenticatedRequest, id: number, change: { name?: string; plan?: Plan }): Promise<Workspace> {
    const workspace = await this.get(id);
    await this.db.transaction(async (tx) => {
      for (const [key, value] of Object.entries(change)) {
        if (value !== undefined) await tx.update(Workspace, { id }, { [key]: value });
      }
      await auditTwice(tx, { workspaceId: id, requestId: request.id }, deedsOf(workspace, change));
    });
    return this.get(id);
  }
}

function deedsOf({ id: entityId, ...old }: Workspace, { name, plan }: { name?: string; plan?: Plan }): Deed[] {
  const renamed = { action: 'workspace.rename', entityId, details: { name, old_name: old.name } };
  const planned = { action: 'workspace.set_plan', entityId, details: { plan, old_plan: old.plan } };
  return [...(name === undefined ? [] : [renamed]), ...(plan === undefined ? [] : [planned])];
}

export async function createWorkspace(tx: EntityManager, name: string): Promise<Workspace> {
  const { identifiers } = await tx.insert(Workspace, { name });
  return tx.findOneByOrFail(Workspace, { id: identifiers[0]!.id as number });
}
