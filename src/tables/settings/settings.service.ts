import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { type LabelRules, readLabelRules, writeLabelRules } from '../../registry/index.js';
import { emit } from '../../events/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { readSettings, type Settings, type SetValues } from '../../grid/settings/read-settings.js';
import { SettingsErrors } from './settings.errors.js';
import { SettingsEvents } from './settings-events.js';
import { WorkspaceSettings } from '../../grid/settings/workspace-settings.entity.js';

/** All effective settings. Rules of labels apply in all domains, so they are stored with the workspace. */
export type AllSettings = Settings & LabelRules;
type AllValues = SetValues & LabelRules;

/** A change of settings. Absent ones stay as they are. */
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

  /**
   * Applies to everything that begins afterwards, in every process. Throws import_limit_too_large and
   * approval_label_unprotected.
   */
  update(caller: Caller, change: SettingsChange): Promise<AllSettings> {
    const { workspaceId } = caller;
    const limit = this.config.importMaxBytes;
    if ((change.importMaxBytes ?? 0) > limit) throw SettingsErrors.import_limit_too_large(limit);
    return this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'workspace-settings', workspaceId);
      const before = await readAll(tx, workspaceId);
      const from = settable(before);
      const to = withCommonLabels({ ...from, ...given(change) }, change);
      if (isDeepStrictEqual(from, to)) return before;
      const { protectedLabels, approvalLabels, ...own } = to;
      await tx.upsert(WorkspaceSettings, { workspaceId, ...own, updatedAt: new Date() }, ['workspaceId']);
      await writeLabelRules(tx, workspaceId, { protectedLabels, approvalLabels });
      await audit(tx, caller, { action: 'workspace_settings.update', entityId: workspaceId, details: { from, to } });
      await announceApprovals(tx, caller, from.approvalLabels, approvalLabels);
      return readAll(tx, workspaceId);
    });
  }
}

async function readAll(tx: EntityManager, workspaceId: number): Promise<AllSettings> {
  const own = await readSettings(tx, workspaceId);
  return { ...own, ...(await readLabelRules(tx, workspaceId)) };
}

function settable(values: AllValues): AllValues {
  const { importMaxBytes, autoRecalculate, defaultModel, embeddingModel, protectedLabels, approvalLabels } = values;
  return { importMaxBytes, autoRecalculate, defaultModel, embeddingModel, protectedLabels, approvalLabels };
}

/**
 * Only protected labels can need an approval. Clients that change only the protected labels may not know of approvals,
 * so a label that is no longer protected needs none. Throws approval_label_unprotected for a label that the change
 * names.
 */
function withCommonLabels(values: AllValues, change: SettingsChange): AllValues {
  const { protectedLabels, approvalLabels } = values;
  const common = approvalLabels.filter((name) => protectedLabels.includes(name));
  const lost = change.approvalLabels?.find((name) => !common.includes(name));
  if (lost !== undefined) throw SettingsErrors.approval_label_unprotected(lost);
  return settable({ ...values, approvalLabels: common });
}

/** Announces that a label needs no approval any more, for everybody who follows the events. */
async function announceApprovals(tx: EntityManager, caller: Caller, from: string[], to: string[]): Promise<void> {
  if (isDeepStrictEqual(from, to)) return;
  await emit(tx, caller, SettingsEvents.approvalLabelsChanged({ approval_labels: to, old_approval_labels: from }));
}

function given(change: SettingsChange): SettingsChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
