import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import {
  ApiKey,
  audit,
  type Caller,
  demandRoles,
  type IssuedKey,
  issueKey,
  type NewKey,
  type SecretKey,
} from '../../access/index.js';
import { revokeKey } from './api-keys.service.js';
import { getMember } from '../members/members.queries.js';

/** The keys that users give to their own programs. They may do what the user may do now, or less. */
@Injectable()
export class PersonalKeys {
  constructor(private readonly db: DataSource) {}

  /** The caller's own, newest first, with revoked ones; none for a service key. */
  async list(caller: Caller): Promise<SecretKey[]> {
    if (!caller.user) return [];
    const where = { workspaceId: caller.workspaceId, ...ownedBy(caller) };
    return this.db.manager.find(ApiKey, { where, order: { id: 'DESC' } }) as Promise<SecretKey[]>;
  }

  /** Throws user_required: a personal key cannot create others, or it would outlive its own end. */
  create(caller: Caller, input: Omit<NewKey, 'kind' | 'userId' | 'ownerEmail'>): Promise<IssuedKey> {
    const { userId } = ownedBy(caller);
    if (!caller.user!.isPresent) throw AdministrationErrors.user_required();
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await demandRoles(tx, caller, input.roles);
      const { user } = await getMember(tx, workspaceId, userId);
      const owned = { kind: 'personal', userId, makerId: userId, ownerEmail: user.email } as const;
      const issued = await issueKey(tx, { ...input, workspaceId, ...owned });
      const details = { role: input.roles.join(','), kind: 'personal', expires_at: issued.key.expiresAt };
      await audit(tx, caller, { action: 'api_key.create', entityId: issued.key.id, details });
      return issued;
    });
  }

  /** Twice changes nothing. Throws api_key_not_found for a key that is not the caller's own. */
  revoke(caller: Caller, id: number): Promise<SecretKey> {
    if (!caller.user) throw AdministrationErrors.api_key_not_found(id);
    const where = { workspaceId: caller.workspaceId, id, ...ownedBy(caller) };
    return this.db.transaction(async (tx: EntityManager) => {
      const key = (await tx.findOne(ApiKey, { where, lock: { mode: 'pessimistic_write' } })) as SecretKey | null;
      if (!key) throw AdministrationErrors.api_key_not_found(id);
      return revokeKey(tx, caller, key);
    });
  }
}

function ownedBy({ user }: Caller): { kind: 'personal'; userId: number } {
  if (!user) throw AdministrationErrors.user_required();
  return { kind: 'personal', userId: user.id };
}
