import { defineErrors } from '../platform/errors/problem.js';

export const McpServerErrors = defineErrors({
  mcp_server_not_found: { status: 404, message: (id: number) => `MCP server ${id} was not found in this workspace.` },
  mcp_server_too_many: {
    status: 409,
    message: (most: number) => `A workspace can have ${most} MCP servers. Delete one that is not needed any more.`,
  },
  mcp_server_url_refused: { status: 400, message: (problem: string) => `This URL cannot be called. ${problem}` },
  mcp_server_headers_refused: { status: 400, message: (problem: string) => `These headers cannot be sent. ${problem}` },
  mcp_server_secrets_unreadable: {
    status: 400,
    message: (id: number) =>
      `The secrets of MCP server ${id} cannot be read: SECRETS_KEY is not the one they were made with. Send auth and headers: null to replace them.`,
  },
  mcp_server_secrets_needed: {
    status: 400,
    message:
      'The token and the headers were given for another server. Send auth and every header anew, or null for those that are not needed any more, together with the new URL.',
  },
});
