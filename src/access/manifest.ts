import { integer, type SettingValues } from '../platform/config/settings.js';
import { assertMailSettings } from '../platform/mail/mailer.js';
import { defineDomain } from '../platform/domain.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { AccessModule } from './access.module.js';
import { ApiKey } from './api-key.entity.js';
import { GroupRule } from './groups/group-rule.entity.js';
import { UserGroup } from './groups/user-group.entity.js';
import { AuditEntry } from './audit-entry.entity.js';
import { CustomRole } from './roles/custom-role.entity.js';
import { WorkspaceStorage } from './storage/workspace-storage.entity.js';
import { Invitation } from './invitations/invitation.entity.js';
import { UserLink } from './users/user-link.entity.js';
import { User } from './users/user.entity.js';
import { Workspace } from './workspace.entity.js';

const permissions = ['MANAGE_API_KEYS', 'PROTECTED_LABELS', 'ADMIN'] as const;

const settings = {
  workspaceMaxStoredBytes: integer('WORKSPACE_MAX_STORED_BYTES', {
    fallback: '0',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Bytes that every workspace may store, unless the operator gives it a limit of its own; 0 for any number.',
  }),
  workspaceMaxRows: integer('WORKSPACE_MAX_ROWS', {
    fallback: '0',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Rows of sheets that every workspace may have, unless the operator gives it a limit of its own; 0 for any number.',
  }),
};

const counters = {
  storageRefusals: {
    name: 'tracesheet_storage_refusals_total',
    help: 'Requests and imports refused because a workspace is full, by the limit: stored_bytes, rows.',
    labelNames: ['limit'],
    worry: 'It grows: a workspace loses data until it deletes some or gets a higher limit.',
  },
  storageWarnings: {
    name: 'tracesheet_storage_warnings_total',
    help: 'Counts of the bytes of a workspace that found at least 80 % of its limit.',
    labelNames: [],
    worry: 'It grows: the log says which workspace will soon be full.',
  },
} as const satisfies CounterDefinitions;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

declare module './roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('access', {
  holds: 'Workspaces, API keys, roles, audit trail. Every handler gets a `Caller`',
  uses: [],
  module: (process) => {
    assertMailSettings(process.config);
    return AccessModule.for(process);
  },
  entities: [
    ApiKey,
    AuditEntry,
    CustomRole,
    GroupRule,
    Invitation,
    User,
    UserGroup,
    UserLink,
    Workspace,
    WorkspaceStorage,
  ],
  tags: [
    { name: 'People', description: 'Users, members of workspaces, invitations and personal keys.', order: 191 },
    { name: 'Administration', description: 'Workspaces, their settings and API keys, and who did what.', order: 190 },
  ],
  permissions,
  settings,
  counters,
});
