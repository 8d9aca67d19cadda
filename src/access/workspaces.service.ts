import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import { audit } from './audit.js';
import type { AuthenticatedRequest, Caller } from './caller.js';
import { Workspace } from './workspace.entity.js';

@Injectable()
export class WorkspacesService {
  constructor(private readonly db: DataSource) {}

  list(): Promise<Workspace[]> {
    return this.db.manager.find(Workspace, { order: { id: 'ASC' } });
  }

  /**
   * The caller of an administrative route, or the operator acting in the workspace of its path. Another workspace does
   * not exist for a key.
   */
  async callerIn(request: AuthenticatedRequest, workspaceId: number): Promise<Caller> {
    if (request.caller?.workspaceId === workspaceId) return request.caller;
    if (!request.isOperator) throw AccessErrors.workspace_not_found(workspaceId);
    await this.get(workspaceId);
    return operatorIn(request, workspaceId);
  }

  create(request: AuthenticatedRequest, name: string): Promise<Workspace> {
    return this.db.transaction(async (tx) => {
      const workspace = await createWorkspace(tx, name);
      const { id: entityId } = workspace;
      await audit(tx, operatorIn(request, entityId), { action: 'workspace.create', entityId, details: { name } });
      return workspace;
    });
  }

  async get(id: number): Promise<Workspace> {
    const workspace = await this.db.manager.findOneBy(Workspace, { id });
    if (!workspace) throw AccessErrors.workspace_not_found(id);
    return workspace;
  }

  async rename(request: AuthenticatedRequest, id: number, name: string): Promise<Workspace> {
    const workspace = await this.get(id);
    await this.db.transaction(async (tx) => {
      await tx.update(Workspace, { id }, { name });
      const details = { name, old_name: workspace.name };
      await audit(tx, operatorIn(request, id), { action: 'workspace.rename', entityId: id, details });
    });
    return { ...workspace, name };
  }
}

function operatorIn(request: AuthenticatedRequest, workspaceId: number): Caller {
  return { workspaceId, keyId: null, keyName: null, role: 'admin', requestId: request.id };
}

export async function createWorkspace(tx: EntityManager, name: string): Promise<Workspace> {
  const { identifiers } = await tx.insert(Workspace, { name });
  return tx.findOneByOrFail(Workspace, { id: identifiers[0]!.id as number });
}
