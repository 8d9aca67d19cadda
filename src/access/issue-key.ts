import type { EntityManager } from 'typeorm';
import { ApiKey, type SecretKey } from './api-key.entity.js';
import type { KeyLimits } from './key-limits.js';
import { generateKey, hashKey, lastFour } from './key-material.js';
import type { Role } from './roles/permissions.js';

export interface NewKey extends Partial<KeyLimits> {
  name: string | null;
  ownerEmail?: string | null;
  roles: readonly Role[];
  kind?: SecretKey['kind'];
  /** The user of a personal key. */
  userId?: number | null;
  /** See `ApiKey.makerId`. */
  makerId?: number | null;
}

/** A key with its text, which exists only at this moment. */
export interface IssuedKey {
  key: SecretKey;
  secret: string;
}

/** Stores a new key (a given one for installations that preset it) and returns it with its text. */
export async function issueKey(
  tx: EntityManager,
  input: NewKey & { workspaceId: number; secret?: string },
): Promise<IssuedKey> {
  const { workspaceId, name, roles, ownerEmail = null, secret = generateKey() } = input;
  const { expiresAt = null, allowedNetworks = [], kind = 'service', userId = null, makerId = null } = input;
  const hash = hashKey(secret);
  const key = tx.create(ApiKey, {
    workspaceId,
    name,
    kind,
    userId,
    makerId,
    ownerEmail,
    roles: [...roles],
    hash,
    lastFour: lastFour(secret),
    expiresAt,
    allowedNetworks,
  });
  await tx.insert(ApiKey, key);
  const stored = await tx.findOneByOrFail(ApiKey, { workspaceId, hash });
  return { key: stored as SecretKey, secret };
}
