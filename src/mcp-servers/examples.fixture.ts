import type { Examples } from '../../test/support/examples.js';

const SERVERS = '/api/admin/v1/workspaces/{workspace_id}/mcp-servers';

export default {
  unknown: { mcp_server_id: 999_999 },
  bodies: {
    [`POST ${SERVERS}`]: { name: 'Mine', url: 'https://tools.invalid/mcp', transport: 'streamable_http' },
  },
  async create({ me }, { workspace_id: workspace }) {
    // A reserved name that never resolves.
    const body = { name: 'Tools', url: 'https://tools.invalid/mcp', transport: 'streamable_http' };
    const auth = { type: 'bearer', token: 'an-example-of-a-token' };
    const created = (await me.post(SERVERS.replace('{workspace_id}', String(workspace)), { ...body, auth }, 201)) as {
      mcp_server: { id: number };
    };
    return { mcp_server_id: created.mcp_server.id };
  },
} satisfies Examples;
