import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccessErrors } from './access.errors.js';
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
    return { workspaceId, keyId: null, keyName: null, role: 'admin', requestId: request.id };
  }

  create(name: string): Promise<Workspace> {
    return this.db.transaction((tx) => createWorkspace(tx, name));
  }

  async get(id: number): Promise<Workspace> {
    const workspace = await this.db.manager.findOneBy(Workspace, { id });
    if (!workspace) throw AccessErrors.workspace_not_found(id);
    return workspace;
  }

  async rename(id: number, name: string): Promise<Workspace> {
    const workspace = await this.get(id);
    await this.db.manager.update(Workspace, { id }, { name });
    return { ...workspace, name };
  }
}

export async function createWorkspace(tx: EntityManager, name: string): Promise<Workspace> {
  const { identifiers } = await tx.insert(Workspace, { name });
  return tx.findOneByOrFail(Workspace, { id: identifiers[0]!.id as number });
}
