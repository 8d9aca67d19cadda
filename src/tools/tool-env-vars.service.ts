import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { EnvVarStore, type NewEnvVar, type ShownEnvVar } from '../env-vars/index.js';
import { TOOLS } from './tool.registry.js';

/** Variables of one tool, which add to those of its workspace or replace them. */
@Injectable()
export class ToolEnvVarsService {
  constructor(
    private readonly db: DataSource,
    private readonly store: EnvVarStore,
  ) {}

  async list(caller: Caller, identifier: string): Promise<ShownEnvVar[]> {
    const { manager } = this.db;
    const tool = await TOOLS.get(manager, caller.workspaceId, identifier);
    return this.store.list(manager, caller, tool.id);
  }

  create(caller: Caller, identifier: string, input: NewEnvVar): Promise<ShownEnvVar> {
    return this.change(caller, identifier, (tx, toolId) => this.store.create(tx, caller, toolId, input));
  }

  update(caller: Caller, identifier: string, id: number, value: string): Promise<ShownEnvVar> {
    return this.change(caller, identifier, (tx, toolId) => this.store.update(tx, caller, { toolId, id }, value));
  }

  delete(caller: Caller, identifier: string, id: number): Promise<void> {
    return this.change(caller, identifier, (tx, toolId) => this.store.delete(tx, caller, toolId, id));
  }

  /** The tool cannot be deleted meanwhile. */
  private change<T>(
    caller: Caller,
    identifier: string,
    work: (tx: EntityManager, toolId: number) => Promise<T>,
  ): Promise<T> {
    return this.db.transaction(async (tx) => {
      const { id } = await TOOLS.get(tx, caller.workspaceId, identifier, 'pessimistic_read');
      return work(tx, id);
    });
  }
}
