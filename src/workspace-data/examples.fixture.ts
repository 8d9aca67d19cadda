import type { Examples } from '../../test/support/examples.js';

export default {
  bodies: { 'POST /api/admin/v1/workspace-deletions': { workspace_id: 999_999 } },
} satisfies Examples;
