import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccessErrors } from './access.errors.js';
import { ApiKey } from './api-key.entity.js';
import type { Caller } from './caller.js';
import { allows, declared, type Permission } from './permissions.js';
import type { Workspace } from './workspace.entity.js';

/** The caller with its permissions. */
export interface Me {
  workspace: Workspace;
  key: ApiKey;
  permissions: Permission[];
}

@Injectable()
export class MeService {
  constructor(private readonly db: DataSource) {}

  /** Throws api_key_invalid for a key that was revoked a moment ago, and for callers without a key. */
  async get({ workspaceId, keyId, roles }: Caller): Promise<Me> {
    const where = { workspaceId, id: keyId ?? 0 };
    const key = await this.db.manager.findOne(ApiKey, { where, relations: { workspace: true } });
    if (!key || key.revokedAt) throw AccessErrors.api_key_invalid();
    const permissions = declared().filter((permission) => allows(roles, permission));
    return { workspace: key.workspace!, key, permissions };
  }
}
