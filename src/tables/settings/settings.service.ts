import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, readProtectedLabels, writeProtectedLabels } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { readSettings, type Settings, type SetValues } from './read-settings.js';
import { SettingsErrors } from './settings.errors.js';
import { WorkspaceSettings } from './workspace-settings.entity.js';

/** Labels of prompts and of whatever else has labels are protected for all domains, so these are stored with the workspace. */
interface WithLabels {
  protectedLabels: string[];
}

/** All settings in force. */
export type AllSettings = Settings & WithLabels;
type AllValues = SetValues & WithLabels;

/** What is left out stays as it is. */
export type SettingsChange = Partial<AllValues>;

@Injectable()
export class SettingsService {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  get({ workspaceId }: Caller): Promise<AllSettings> {
    return readAll(this.db.manager, workspaceId);
  }

  /** Counts for whatever begins afterwards, in every process. Throws import_limit_too_large. */
  update(caller: Caller, change: SettingsChange): Promise<AllSettings> {
    const { workspaceId } = caller;
    const limit = this.config.importMaxBytes;
    if ((change.importMaxBytes ?? 0) > limit) throw SettingsErrors.import_limit_too_large(limit);
    return this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'workspace-settings', workspaceId);
      const before = await readAll(tx, workspaceId);
      const from = settable(before);
      const to = settable({ ...from, ...given(change) });
      if (isDeepStrictEqual(from, to)) return before;
      const { protectedLabels, ...own } = to;
      await tx.upsert(WorkspaceSettings, { workspaceId, ...own, updatedAt: new Date() }, ['workspaceId']);
      await writeProtectedLabels(tx, workspaceId, protectedLabels);
      await audit(tx, caller, { action: 'workspace_settings.update', entityId: workspaceId, details: { from, to } });
      return readAll(tx, workspaceId);
    });
  }
}

async function readAll(tx: EntityManager, workspaceId: number): Promise<AllSettings> {
  const own = await readSettings(tx, workspaceId);
  return { ...own, protectedLabels: await readProtectedLabels(tx, workspaceId) };
}

function settable(values: AllValues): AllValues {
  const { importMaxBytes, autoRecalculate, defaultModel, embeddingModel, protectedLabels } = values;
  return { importMaxBytes, autoRecalculate, defaultModel, embeddingModel, protectedLabels };
}

function given(change: SettingsChange): SettingsChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
