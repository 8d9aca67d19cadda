import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import { ApiKey } from './api-key.entity.js';
import { audit } from './audit.js';
import type { Caller } from './caller.js';
import { generateKey, hashKey, lastFour } from './key-material.js';
import { demandAllOf } from './demand.js';
import { FindsInPath, type PathLookup } from './path-lookups.js';
import type { Role } from './permissions.js';

/** A key together with its text, which exists only at this moment. */
export interface IssuedKey {
  key: ApiKey;
  secret: string;
}

@FindsInPath({ name: 'key_id', ids: { key_id: 'integer' } })
export class ApiKeysService implements PathLookup<{ key_id: number }> {
  constructor(private readonly db: DataSource) {}

  /** Every key of the workspace, revoked ones included, newest first. */
  list(caller: Caller): Promise<ApiKey[]> {
    return this.db.manager.find(ApiKey, { where: { workspaceId: caller.workspaceId }, order: { id: 'DESC' } });
  }

  findInPath(caller: Caller, { key_id }: { key_id: number }): Promise<ApiKey> {
    return getKey(this.db.manager, caller, key_id);
  }

  /** Throws permission_missing for roles that may do more than the caller. */
  async create(
    caller: Caller,
    input: { name: string | null; ownerEmail?: string | null; roles: readonly Role[] },
  ): Promise<IssuedKey> {
    demandAllOf(caller, input.roles);
    return this.db.transaction(async (tx) => {
      const issued = await issueKey(tx, { ...input, workspaceId: caller.workspaceId });
      await audit(tx, caller, {
        action: 'api_key.create',
        entityId: issued.key.id,
        details: { role: input.roles.join(',') },
      });
      return issued;
    });
  }

  /** Throws permission_missing for a key that may do more than the caller. */
  rename(caller: Caller, id: number, name: string | null): Promise<ApiKey> {
    return this.db.transaction(async (tx) => {
      const key = await getOwnOrWeaker(tx, caller, id);
      await tx.update(ApiKey, { workspaceId: caller.workspaceId, id }, { name });
      await audit(tx, caller, { action: 'api_key.rename', entityId: id });
      return { ...key, name };
    });
  }

  /**
   * Works at once, in every process. Revoking twice changes nothing. Throws permission_missing for a key that may do more than
   * the caller.
   */
  revoke(caller: Caller, id: number): Promise<ApiKey> {
    return this.db.transaction(async (tx) => {
      const key = await getOwnOrWeaker(tx, caller, id);
      if (key.revokedAt) return key;
      const revokedAt = new Date();
      await tx.update(ApiKey, { workspaceId: caller.workspaceId, id, revokedAt: IsNull() }, { revokedAt });
      await audit(tx, caller, { action: 'api_key.revoke', entityId: id });
      return { ...key, revokedAt };
    });
  }
}

/** Stores a new key (a given one for installations that preset it) and gives it back with its text. */
export async function issueKey(
  tx: EntityManager,
  input: {
    workspaceId: number;
    name: string | null;
    ownerEmail?: string | null;
    roles: readonly Role[];
    secret?: string;
  },
): Promise<IssuedKey> {
  const { workspaceId, name, roles, ownerEmail = null, secret = generateKey() } = input;
  const key = tx.create(ApiKey, {
    workspaceId,
    name,
    ownerEmail,
    roles: [...roles],
    hash: hashKey(secret),
    lastFour: lastFour(secret),
  });
  await tx.insert(ApiKey, key);
  const stored = await tx.findOneByOrFail(ApiKey, { workspaceId, hash: key.hash });
  return { key: stored, secret };
}

/** A key with more rights than the caller's is not the caller's to change. Throws permission_missing. */
async function getOwnOrWeaker(tx: EntityManager, caller: Caller, id: number): Promise<ApiKey> {
  const key = await getKey(tx, caller, id);
  demandAllOf(caller, key.roles);
  return key;
}

async function getKey(tx: EntityManager, caller: Caller, id: number): Promise<ApiKey> {
  const key = await tx.findOneBy(ApiKey, { workspaceId: caller.workspaceId, id });
  if (!key) throw AccessErrors.api_key_not_found(id);
  return key;
}
