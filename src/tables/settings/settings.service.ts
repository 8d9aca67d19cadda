import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { readSettings, type Settings, type SetValues } from './read-settings.js';
import { SettingsErrors } from './settings.errors.js';
import { WorkspaceSettings } from './workspace-settings.entity.js';

/** What is left out stays as it is. */
export type SettingsChange = Partial<SetValues>;

@Injectable()
export class SettingsService {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  get({ workspaceId }: Caller): Promise<Settings> {
    return readSettings(this.db.manager, workspaceId);
  }

  /** Counts for whatever begins afterwards, in every process. Throws import_limit_too_large. */
  update(caller: Caller, change: SettingsChange): Promise<Settings> {
    const { workspaceId } = caller;
    const limit = this.config.importMaxBytes;
    if ((change.importMaxBytes ?? 0) > limit) throw SettingsErrors.import_limit_too_large(limit);
    return this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'workspace-settings', workspaceId);
      const before = await readSettings(tx, workspaceId);
      const from = settable(before);
      const to = settable({ ...from, ...given(change) });
      if (isDeepStrictEqual(from, to)) return before;
      await tx.upsert(WorkspaceSettings, { workspaceId, ...to, updatedAt: new Date() }, ['workspaceId']);
      await audit(tx, caller, { action: 'workspace_settings.update', entityId: workspaceId, details: { from, to } });
      return tx.findOneByOrFail(WorkspaceSettings, { workspaceId });
    });
  }
}

function settable({ importMaxBytes, autoRecalculate, defaultModel, embeddingModel }: SetValues): SetValues {
  return { importMaxBytes, autoRecalculate, defaultModel, embeddingModel };
}

function given(change: SettingsChange): SettingsChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
