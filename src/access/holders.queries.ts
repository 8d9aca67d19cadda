import type { EntityManager } from 'typeorm';
import type { Caller } from './caller.js';
import { type KeyCheck, keyCheck, type KeyLimits } from './key-limits.js';
import { keyNameOf } from './key-name.js';
import type { KeyKind } from './api-key.entity.js';
import { grantsOf, type Permission, type Role } from './roles/permissions.js';

/** A valid key or member: the caller it stands for, and the check of its limits, which runs with every request. */
export interface Holder {
  caller: Omit<Caller, 'requestId' | 'address'>;
  check: KeyCheck;
}

interface HolderRow extends KeyLimits {
  id: number;
  workspaceId: number;
  name: string | null;
  lastFour: string | null;
  kind: KeyKind;
  roles: string;
  userId: number | null;
  memberRoles: string | null;
  /** Permissions of roles of the workspace, by name; null for a holder without such a role. */
  customRoles: Record<Role, Permission[]> | null;
}

/**
 * Keys `k` that are not revoked. A key of a user is valid only while the user is active and a member of the workspace: `m` is the
 * membership, which for a member is the row itself.
 */
const HOLDERS = `
  SELECT k.id, k.workspace_id AS "workspaceId", k.name, k.last_four AS "lastFour", k.kind, k.role AS roles, k.user_id AS "userId",
         k.expires_at AS "expiresAt", k.allowed_networks AS "allowedNetworks", m.role AS "memberRoles",
         (SELECT json_object_agg(c.name, c.permissions) FROM custom_roles c
           WHERE c.workspace_id = k.workspace_id AND c.name = ANY (string_to_array(concat_ws(',', k.role, m.role), ','))) AS "customRoles"
    FROM api_keys k
    LEFT JOIN api_keys m
      ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id AND m.kind = 'member' AND m.revoked_at IS NULL
    LEFT JOIN users u ON u.id = k.user_id
   WHERE k.revoked_at IS NULL AND (k.kind = 'service' OR (m.id IS NOT NULL AND u.status = 'active'))`;

/** The holder of the key with a hash. */
export async function findHolderByHash(tx: EntityManager, hash: Buffer): Promise<Holder | null> {
  const [row] = await tx.query<HolderRow[]>(`${HOLDERS} AND k.hash = $1`, [hash]);
  return row ? toHolder(row) : null;
}

/** The holders of valid keys and members, by their ids. */
export async function findHolders(tx: EntityManager, keyIds: number[]): Promise<Map<number, Holder>> {
  const rows = await tx.query<HolderRow[]>(`${HOLDERS} AND k.id = ANY ($1::int[])`, [keyIds]);
  return new Map(rows.map((row) => [row.id, toHolder(row)]));
}

function toHolder(row: HolderRow): Holder {
  const { workspaceId, id: keyId, userId, memberRoles } = row;
  const custom = new Map(Object.entries(row.customRoles ?? {}));
  const granted = (stored: string) => ({ roles: rolesIn(stored), grants: grantsOf(rolesIn(stored), custom) });
  const user =
    userId === null || memberRoles === null
      ? null
      : { id: userId, ...granted(memberRoles), isPresent: row.kind === 'member' };
  return {
    caller: { workspaceId, keyId, keyName: keyNameOf(row), ...granted(row.roles), user },
    check: keyCheck(row),
  };
}

/** Reads a list of plain texts as TypeORM stores it. */
const rolesIn = (stored: string): Role[] => (stored === '' ? [] : stored.split(','));
