import type { EntityManager } from 'typeorm';
import { WorkspaceSettings } from './workspace-settings.entity.js';

/** What can be set. */
export type SetValues = Pick<
  WorkspaceSettings,
  'importMaxBytes' | 'autoRecalculate' | 'defaultModel' | 'embeddingModel'
>;

/** The settings in force. */
export interface Settings extends SetValues {
  /** null while nobody has set anything. */
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

/** The largest file that may be imported into a sheet. A workspace can only lower what the server allows. */
export async function importLimit(tx: EntityManager, workspaceId: number, ofServer: number): Promise<number> {
  const { importMaxBytes } = await readSettings(tx, workspaceId);
  return Math.min(importMaxBytes ?? ofServer, ofServer);
}
