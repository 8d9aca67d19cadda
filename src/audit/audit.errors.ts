import { defineErrors } from '../platform/errors/problem.js';

export const AuditErrors = defineErrors({
  audit_head_incomplete: {
    status: 400,
    message: 'Send after_entry_id and after_hash together, or neither of them.',
  },
});
