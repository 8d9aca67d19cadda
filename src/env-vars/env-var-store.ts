import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { audit, auditAll, type Caller, demand } from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { uniqueViolation } from '../platform/errors/failures.js';
import { ValidationProblem } from '../platform/errors/problem.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { ALL_TOOLS, EnvVar } from './env-var.entity.js';
import { EnvVarErrors } from './env-vars.errors.js';
import { isReserved } from './reserved-names.js';

/** Limit of variables of a workspace, and of each tool. */
const MOST = 200;
const SUFFIX_LENGTH = 4;

/** A variable as it is shown. */
export interface ShownEnvVar extends Omit<EnvVar, 'value'> {
  /** The end of the value; null when it is empty or cannot be decrypted. */
  suffix: string | null;
  isEmpty: boolean;
}

export interface NewEnvVar {
  key: string;
  /** Empty for a variable that gets its value later. */
  value: string;
}

/** The environment variables of a workspace (`toolId` is ALL_TOOLS) and of its tools. */
@Injectable()
export class EnvVarStore {
  constructor(private readonly secrets: Secrets) {}

  /** By key. */
  async list(tx: EntityManager, { workspaceId }: Caller, toolId: number): Promise<ShownEnvVar[]> {
    const variables = await tx.find(EnvVar, { where: { workspaceId, toolId }, order: { key: 'ASC' } });
    return variables.map((variable) => this.shown(variable));
  }

  /** Throws permission_missing, a ValidationProblem for a reserved name, env_var_exists, env_var_too_many and secrets_key_missing. */
  async create(tx: EntityManager, caller: Caller, toolId: number, { key, value }: NewEnvVar): Promise<ShownEnvVar> {
    demand(caller, 'TOOL_EDIT');
    refuseReserved(key);
    const { workspaceId, keyId: createdBy } = caller;
    const sealed = value === '' ? null : this.secrets.encrypt(value, placeOf({ workspaceId, toolId, key }));
    await lockUntilCommit(tx, 'env-vars', workspaceId, toolId);
    if ((await tx.countBy(EnvVar, { workspaceId, toolId })) >= MOST) throw EnvVarErrors.env_var_too_many(MOST);
    const row = { workspaceId, toolId, key, value: sealed, createdBy };
    const { identifiers } = await tx.insert(EnvVar, row).catch((error: unknown) => {
      throw uniqueViolation(error) === 'env_vars_key_key' ? EnvVarErrors.env_var_exists(key) : error;
    });
    const created = await getVariable(tx, caller, toolId, identifiers[0]!.id as number);
    await audit(tx, caller, { action: 'env_var.create', entityId: created.id, details: detailsOf(created) });
    return this.shown(created);
  }

  /** Applies to code that starts afterwards. Throws env_var_not_found, permission_missing and secrets_key_missing. */
  async update(
    tx: EntityManager,
    caller: Caller,
    { toolId, id }: Pick<EnvVar, 'toolId' | 'id'>,
    value: string,
  ): Promise<ShownEnvVar> {
    const { workspaceId } = caller;
    const variable = await getVariable(tx, caller, toolId, id);
    demand(caller, 'TOOL_EDIT');
    const sealed = this.secrets.encrypt(value, placeOf(variable));
    await tx.update(EnvVar, { workspaceId, id }, { value: sealed, updatedAt: new Date() });
    await audit(tx, caller, { action: 'env_var.update', entityId: id, details: detailsOf(variable) });
    return this.shown(await getVariable(tx, caller, toolId, id));
  }

  /** Throws env_var_not_found and permission_missing. */
  async delete(tx: EntityManager, caller: Caller, toolId: number, id: number): Promise<void> {
    const variable = await getVariable(tx, caller, toolId, id);
    demand(caller, 'TOOL_EDIT');
    await tx.delete(EnvVar, { workspaceId: caller.workspaceId, id });
    await audit(tx, caller, { action: 'env_var.delete', entityId: id, details: detailsOf(variable) });
  }

  /** Deletes the variables of tools that are being deleted. */
  async deleteOfTools(tx: EntityManager, caller: Caller, toolIds: number[]): Promise<void> {
    const { workspaceId } = caller;
    const variables = await tx.findBy(EnvVar, { workspaceId, toolId: In(toolIds) });
    await tx.delete(EnvVar, { workspaceId, toolId: In(toolIds) });
    const deeds = variables.map((variable) => ({
      action: 'env_var.delete',
      entityId: variable.id,
      details: detailsOf(variable),
    }));
    await auditAll(tx, caller, deeds);
  }

  /** The environment of a tool's code: variables of the workspace, replaced by its own. Throws env_var_unreadable. */
  async environmentOf(tx: EntityManager, workspaceId: number, toolId: number): Promise<Record<string, string>> {
    const found = await tx.findBy(EnvVar, { workspaceId, toolId: In([ALL_TOOLS, toolId]) });
    // Variables of the workspace come first, so that those of the tool replace them.
    const variables = found.toSorted((a, b) => a.toolId - b.toolId);
    const byKey = new Map(variables.map((variable) => [variable.key, variable]));
    return Object.fromEntries([...byKey].map(([key, variable]) => [key, this.valueOf(variable)]));
  }

  private shown({ value, ...variable }: EnvVar): ShownEnvVar {
    return { ...variable, suffix: this.suffixOf({ ...variable, value }), isEmpty: value === null };
  }

  private suffixOf(variable: EnvVar): string | null {
    if (variable.value === null) return null;
    try {
      return [...this.valueOf(variable)].slice(-SUFFIX_LENGTH).join('');
    } catch {
      return null;
    }
  }

  private valueOf(variable: EnvVar): string {
    if (variable.value === null) return '';
    try {
      return this.secrets.decrypt(variable.value, placeOf(variable));
    } catch {
      throw EnvVarErrors.env_var_unreadable(variable.key);
    }
  }
}

/** The context of the encryption: a value cannot be decrypted as that of another variable. */
export function placeOf({ workspaceId, toolId, key }: Pick<EnvVar, 'workspaceId' | 'toolId' | 'key'>): string {
  return `environment variable ${key} of tool ${toolId} of workspace ${workspaceId}`;
}

function detailsOf({ key, toolId }: EnvVar): object {
  return toolId === ALL_TOOLS ? { key } : { key, tool_id: toolId };
}

/** Locks the row, so that the change applies to the row that was read. */
async function getVariable(tx: EntityManager, { workspaceId }: Caller, toolId: number, id: number): Promise<EnvVar> {
  const variable = await tx.findOne(EnvVar, {
    where: { workspaceId, toolId, id },
    lock: { mode: 'for_no_key_update' },
  });
  if (!variable) throw EnvVarErrors.env_var_not_found(id);
  return variable;
}

function refuseReserved(key: string): void {
  if (!isReserved(key)) return;
  const msg = `${key} is reserved for the programs that run the code. Choose another name`;
  throw new ValidationProblem([{ loc: ['body', 'key'], msg, type: 'value_error' }]);
}
