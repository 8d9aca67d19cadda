import { defineDomain } from '../platform/domain.js';
import { AccessModule } from './access.module.js';
import { ApiKey } from './api-key.entity.js';
import { AuditEntry } from './audit-entry.entity.js';
import { Workspace } from './workspace.entity.js';

const permissions = ['MANAGE_API_KEYS', 'PROTECTED_LABELS', 'ADMIN'] as const;

declare module './permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('access', {
  holds: 'Workspaces, API keys, roles, audit trail. Every handler gets a `Caller`',
  uses: [],
  module: () => AccessModule,
  entities: [ApiKey, AuditEntry, Workspace],
  tags: [
    { name: 'Administration', description: 'Workspaces, their settings and API keys, and who did what.', order: 190 },
  ],
  permissions,
});
