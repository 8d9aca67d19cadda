import { defineDomain } from '../platform/domain.js';
import { McpServer } from './mcp-server.entity.js';
import { placeOf } from './mcp-servers.service.js';
import { McpServersModule } from './mcp-servers.module.js';

defineDomain('mcp-servers', {
  holds: 'Tool servers (MCP) that a workspace has registered, and the client that calls them',
  uses: [],
  module: () => McpServersModule,
  entities: [McpServer],
  secrets: [
    {
      what: 'secrets of MCP servers',
      table: 'mcp_servers',
      column: 'secrets',
      placeOf: ({ workspace_id: workspaceId, id }) => placeOf({ workspaceId: Number(workspaceId), id: Number(id) }),
    },
  ],
  tags: [
    {
      name: 'MCP servers',
      description: 'Servers whose tools columns can call, by the Model Context Protocol.',
      order: 165,
    },
  ],
});
