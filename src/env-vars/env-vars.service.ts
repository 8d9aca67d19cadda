import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { ALL_TOOLS } from './env-var.entity.js';
import { EnvVarStore, type NewEnvVar, type ShownEnvVar } from './env-var-store.js';

/** The variables that all tools of a workspace get. */
@Injectable()
export class EnvVarsService {
  constructor(
    private readonly db: DataSource,
    private readonly store: EnvVarStore,
  ) {}

  list(caller: Caller): Promise<ShownEnvVar[]> {
    return this.store.list(this.db.manager, caller, ALL_TOOLS);
  }

  create(caller: Caller, input: NewEnvVar): Promise<ShownEnvVar> {
    return this.db.transaction((tx) => this.store.create(tx, caller, ALL_TOOLS, input));
  }

  update(caller: Caller, id: number, value: string): Promise<ShownEnvVar> {
    return this.db.transaction((tx) => this.store.update(tx, caller, { toolId: ALL_TOOLS, id }, value));
  }

  delete(caller: Caller, id: number): Promise<void> {
    return this.db.transaction((tx) => this.store.delete(tx, caller, ALL_TOOLS, id));
  }
}
