import { DataSource, type EntityManager, In } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import {
  ApiKey,
  areHolding,
  audit,
  auditAll,
  type Caller,
  type Deed,
  demandRoles,
  FindsInPath,
  type IssuedKey,
  issueKey,
  type KeyLimits,
  type NewKey,
  type PathLookup,
  personBehind,
  type SecretKey,
} from '../../access/index.js';

type Lock = { mode: 'pessimistic_write' };

/** Members are in the same table, and are managed as members. */
const WITH_SECRET = { kind: In(['service', 'personal']) };

/** Changes of a key; absent fields stay unchanged. */
export interface KeyChange extends Partial<KeyLimits> {
  name?: string | null;
}

export interface Rotation {
  /** How long the old key stays valid. */
  overlapSeconds: number;
  /** When the new key expires; undefined = the same lifetime as the old key had at its creation. */
  expiresAt?: Date | null;
}

export interface Rotated {
  issued: IssuedKey;
  /** The old key after the rotation. */
  replaced: SecretKey;
}

@FindsInPath({ name: 'key_id', ids: { key_id: 'integer' } })
export class ApiKeysService implements PathLookup<{ key_id: number }> {
  constructor(private readonly db: DataSource) {}

  /** Every key of the workspace, revoked ones included, newest first. */
  list({ workspaceId }: Caller): Promise<SecretKey[]> {
    const where = { workspaceId, ...WITH_SECRET };
    return this.db.manager.find(ApiKey, { where, order: { id: 'DESC' } }) as Promise<SecretKey[]>;
  }

  findInPath(caller: Caller, { key_id }: { key_id: number }): Promise<SecretKey> {
    return getKey(this.db.manager, caller, key_id);
  }

  /** Throws permission_missing for roles with more permissions than the caller. */
  async create(caller: Caller, input: NewKey): Promise<IssuedKey> {
    return this.db.transaction(async (tx) => {
      await demandRoles(tx, caller, input.roles);
      const makerId = await personBehind(tx, caller);
      const issued = await issueKey(tx, { ...input, makerId, workspaceId: caller.workspaceId });
      await audit(tx, caller, {
        action: 'api_key.create',
        entityId: issued.key.id,
        details: { role: input.roles.join(','), ...limitsOf(issued.key) },
      });
      return issued;
    });
  }

  /**
   * Throws permission_missing for a key with more permissions than the caller, and api_key_would_lock_out when the caller's own
   * key would no longer be accepted from the caller's address.
   */
  update(caller: Caller, id: number, change: KeyChange): Promise<SecretKey> {
    const { allowedNetworks = [] } = change;
    if (caller.keyId === id && caller.address !== undefined && !areHolding(allowedNetworks, caller.address)) {
      throw AdministrationErrors.api_key_would_lock_out(caller.address);
    }
    return this.db.transaction(async (tx) => {
      const key = await getOwnOrWeaker(tx, caller, id);
      const changed = { ...key, ...change };
      await tx.update(ApiKey, { workspaceId: caller.workspaceId, id }, change);
      await auditAll(tx, caller, deedsOf(key, changed, change));
      return changed;
    });
  }

  /**
   * Issues a successor of a valid key, which expires after the overlap. Throws permission_missing for a key with more permissions
   * than the caller, and api_key_ended for an invalid key.
   */
  rotate(caller: Caller, id: number, { overlapSeconds, expiresAt }: Rotation): Promise<Rotated> {
    return this.db.transaction(async (tx) => {
      const key = await getOwnOrWeaker(tx, caller, id);
      const now = Date.now();
      // Its successor would let the caller act as the user.
      if (key.kind === 'personal' && key.userId !== caller.user?.id)
        throw AdministrationErrors.personal_key_of_another();
      const ends = key.expiresAt?.getTime() ?? Infinity;
      if (key.revokedAt || ends <= now) throw AdministrationErrors.api_key_ended(id);
      const replaced = { ...key, expiresAt: new Date(Math.min(ends, now + overlapSeconds * 1000)) };
      await tx.update(ApiKey, { workspaceId: caller.workspaceId, id }, { expiresAt: replaced.expiresAt });
      const lifetime = key.expiresAt && new Date(now + ends - key.createdAt.getTime());
      // Only the caller gets to know the new key.
      const makerId = await personBehind(tx, caller);
      const issued = await issueKey(tx, { ...key, makerId, expiresAt: expiresAt === undefined ? lifetime : expiresAt });
      const details = { new_key_id: issued.key.id, ...limitsOf(replaced), new_expires_at: issued.key.expiresAt };
      await audit(tx, caller, { action: 'api_key.rotate', entityId: id, details });
      return { issued, replaced };
    });
  }

  /**
   * Revokes a key at once, in every process. Revoking twice changes nothing. Throws permission_missing for a key with more
   * permissions than the caller.
   */
  revoke(caller: Caller, id: number): Promise<SecretKey> {
    return this.db.transaction(async (tx) => {
      return revokeKey(tx, caller, await getOwnOrWeaker(tx, caller, id));
    });
  }
}

/** Revokes a locked key; one that is revoked stays as it is. */
export async function revokeKey(tx: EntityManager, caller: Caller, key: SecretKey): Promise<SecretKey> {
  if (key.revokedAt) return key;
  const { id } = key;
  const revokedAt = new Date();
  await tx.update(ApiKey, { workspaceId: caller.workspaceId, id }, { revokedAt });
  await audit(tx, caller, { action: 'api_key.revoke', entityId: id });
  return { ...key, revokedAt };
}

const limitsOf = ({ expiresAt, allowedNetworks }: KeyLimits) => ({
  expires_at: expiresAt,
  allowed_networks: allowedNetworks,
});

function deedsOf(before: SecretKey, after: SecretKey, change: KeyChange): Deed[] {
  const limits = {
    action: 'api_key.update',
    entityId: before.id,
    details: { from: limitsOf(before), to: limitsOf(after) },
  };
  return [
    ...(change.name === undefined ? [] : [{ action: 'api_key.rename', entityId: before.id }]),
    ...(change.expiresAt === undefined && change.allowedNetworks === undefined ? [] : [limits]),
  ];
}

/** A key with more rights than the caller's is not the caller's to change. Throws permission_missing. */
async function getOwnOrWeaker(tx: EntityManager, caller: Caller, id: number): Promise<SecretKey> {
  const key = await getKey(tx, caller, id, { mode: 'pessimistic_write' });
  await demandRoles(tx, caller, key.roles);
  return key;
}

async function getKey(db: EntityManager, caller: Caller, id: number, lock?: Lock): Promise<SecretKey> {
  const where = { workspaceId: caller.workspaceId, id, ...WITH_SECRET };
  const key = (await db.findOne(ApiKey, { where, lock })) as SecretKey | null;
  if (!key) throw AdministrationErrors.api_key_not_found(id);
  return key;
}
