import { defineDomain } from '../platform/domain.js';
import { AccessModule } from './access.module.js';
import { ApiKey } from './api-key.entity.js';
import { AuditEntry } from './audit-entry.entity.js';
import { CustomRole } from './custom-role.entity.js';
import { User } from './user.entity.js';
import { Workspace } from './workspace.entity.js';

const permissions = ['MANAGE_API_KEYS', 'PROTECTED_LABELS', 'ADMIN'] as const;

declare module './roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('access', {
  holds: 'Who calls and what they may do: keys, permissions, the guard, audit entries. Every handler gets a `Caller`',
  uses: [],
  module: () => AccessModule,
  entities: [ApiKey, AuditEntry, CustomRole, User, Workspace],
  permissions,
});
