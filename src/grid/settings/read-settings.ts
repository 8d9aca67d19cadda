import type { EntityManager } from 'typeorm';
import { WorkspaceSettings } from './workspace-settings.entity.js';

/** Settings that a workspace can change. */
export type SetValues = Pick<
  WorkspaceSettings,
  'importMaxBytes' | 'autoRecalculate' | 'defaultModel' | 'embeddingModel'
>;

/** The effective settings. */
export interface Settings extends SetValues {
  /** null without any changed setting. */
  updatedAt: Date | null;
}

const DEFAULTS: Settings = {
  importMaxBytes: null,
  autoRecalculate: 'off',
  defaultModel: null,
  embeddingModel: null,
  updatedAt: null,
};

export async function readSettings(tx: EntityManager, workspaceId: number): Promise<Settings> {
  return (await tx.findOneBy(WorkspaceSettings, { workspaceId })) ?? DEFAULTS;
}

/** The maximum size of an imported file. A workspace can only lower the server's limit. */
export async function importLimit(tx: EntityManager, workspaceId: number, ofServer: number): Promise<number> {
  const { importMaxBytes } = await readSettings(tx, workspaceId);
  return Math.min(importMaxBytes ?? ofServer, ofServer);
}
