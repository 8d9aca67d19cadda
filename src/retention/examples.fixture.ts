import type { Examples } from '../../test/support/examples.js';

export default {
  bodies: {
    'PUT /api/admin/v1/workspaces/{workspace_id}/retention': { traces_days: null, request_logs_days: null },
  },
} satisfies Examples;
