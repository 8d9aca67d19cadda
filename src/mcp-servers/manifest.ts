import { defineDomain } from '../platform/domain.js';
import { McpServer } from './mcp-server.entity.js';
import { McpServersModule } from './mcp-servers.module.js';

defineDomain('mcp-servers', {
  holds: 'Servers of tools (MCP) that a workspace has registered, and the client that calls them',
  uses: [],
  module: () => McpServersModule,
  entities: [McpServer],
  tags: [
    {
      name: 'MCP servers',
      description: 'Servers whose tools columns can call, by the Model Context Protocol.',
      order: 165,
    },
  ],
});
