import { defineDomain } from '../platform/domain.js';
import { AuditHead } from './audit-head.entity.js';
import { AuditSeal } from './audit-seal.entity.js';
import { AuditModule } from './audit.module.js';

defineDomain('audit', {
  holds: 'The hash chain over audit entries: sealing, verification, downloads, and events for webhooks',
  uses: ['administration', 'events', 'webhooks'],
  module: (process) => AuditModule.for(process),
  entities: [AuditHead, AuditSeal],
});
