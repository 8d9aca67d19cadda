import type { Examples } from '../../test/support/examples.js';

export default {
  bodies: {
    'PUT /api/admin/v1/workspaces/{workspace_id}/storage': { max_stored_bytes: null, max_rows: null },
  },
} satisfies Examples;
