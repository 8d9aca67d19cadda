export { McpClient } from './mcp-client.js';
export { McpFailure } from './mcp-failure.js';
export { McpServersModule } from './mcp-servers.module.js';
export { McpServersService } from './mcp-servers.service.js';
export type { McpTarget, McpTool } from './mcp-session.js';
