import { DataSource } from 'typeorm';
import { ApiKey } from './api-key.entity.js';
import { auditInstallation } from './audit.js';
import { issueKey } from './issue-key.js';
import { isWellFormed } from './key-material.js';
import { User } from './user.entity.js';
import { Workspace } from './workspace.entity.js';
import { createWorkspace } from './workspaces.service.js';

export interface Bootstrapped {
  workspaceId: number;
  /** The key, shown once and not stored. */
  apiKey: string;
  created: true;
}

/** Only one of several processes starting at once may create the first workspace. */
const BOOTSTRAP_LOCK = 7_261_001;

/**
 * Creates the first workspace and its admin key in an empty installation. Null when a workspace exists. Throws when the preset key
 * is not a valid API key.
 */
export async function bootstrap(databaseUrl: string, presetKey?: string): Promise<Bootstrapped | null> {
  if (presetKey && !isWellFormed(presetKey)) {
    throw new Error('BOOTSTRAP_API_KEY must be "pl_" followed by 40 to 120 letters and digits.');
  }
  const db = new DataSource({ type: 'postgres', url: databaseUrl, entities: [Workspace, ApiKey, User] });
  await db.initialize();
  try {
    return await db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK]);
      if (await tx.exists(Workspace)) return null;
      const workspace = await createWorkspace(tx, 'Default workspace');
      const { id: entityId, name } = workspace;
      await auditInstallation(tx, 'bootstrap', [{ action: 'workspace.create', entityId, details: { name } }]);
      const { secret } = await issueKey(tx, {
        workspaceId: workspace.id,
        name: 'First key',
        roles: ['admin'],
        secret: presetKey || undefined,
      });
      return { workspaceId: workspace.id, apiKey: secret, created: true as const };
    });
  } finally {
    await db.destroy();
  }
}
