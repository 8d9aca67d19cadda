import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  AccessErrors,
  ApiKey,
  type Caller,
  can,
  declared,
  type Permission,
  type Role,
  type User,
  Workspace,
} from '../../access/index.js';
import { membershipsOf } from '../members/members.queries.js';

/** The caller with its permissions. */
export interface Me {
  workspace: Workspace;
  /** The key, or the member who has signed in. */
  holder: ApiKey;
  /** Null for a service key. */
  user: User | null;
  userRoles: Role[];
  permissions: Permission[];
}

@Injectable()
export class MeService {
  constructor(private readonly db: DataSource) {}

  /** Throws api_key_invalid for a key that was revoked a moment ago, and for callers without a key. */
  async get(caller: Caller): Promise<Me> {
    const where = { workspaceId: caller.workspaceId, id: caller.keyId ?? 0 };
    const holder = await this.db.manager.findOne(ApiKey, { where, relations: { workspace: true, user: true } });
    if (!holder || holder.revokedAt) throw AccessErrors.api_key_invalid();
    const permissions = declared().filter((permission) => can(caller, permission));
    return {
      workspace: holder.workspace!,
      holder,
      user: holder.user ?? null,
      userRoles: [...(caller.user?.roles ?? [])],
      permissions,
    };
  }

  /** The workspaces of a user, or the one of a key. */
  async workspacesOf({ user, workspaceId }: Caller): Promise<Workspace[]> {
    if (!user) return this.db.manager.findBy(Workspace, { id: workspaceId });
    return (await membershipsOf(this.db.manager, user.id)).map(({ workspace }) => workspace!);
  }
}
