import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { OutboundClient } from '../platform/outbound/outbound.client.js';
import { McpFailure } from './mcp-failure.js';
import { McpServersService } from './mcp-servers.service.js';
import { connect } from './connect.js';
import type { McpReport, McpSession, McpTarget, McpTool } from './mcp-session.js';
import { McpSessions } from './mcp-sessions.js';
import { fitArguments } from './tool-arguments.js';
import { readResult } from './tool-result.js';

/** Maximum number of tool names in a message. */
const LISTED = 50;

/** Calls tools of MCP servers. Sessions are kept open and shared by the calls of this process. */
@Injectable()
export class McpClient implements OnApplicationShutdown {
  private readonly sessions: McpSessions;

  constructor(
    private readonly servers: McpServersService,
    private readonly outbound: OutboundClient,
  ) {
    this.sessions = new McpSessions(outbound);
  }

  /**
   * Calls a tool of a registered server. Returns its structured content, its text, or the list of its parts. Arguments are converted
   * to the types of the tool's input schema where that is unambiguous: "3" becomes 3 for an integer. Rejects with McpFailure, also
   * if the tool reports a failure, and with the reason of the signal. A failed call may have had its effect.
   */
  async callTool(
    { workspaceId, serverId }: { workspaceId: number; serverId: number },
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonValue> {
    return this.callToolAt(await this.servers.target(workspaceId, serverId), tool, args, signal);
  }

  /** Calls a tool of a server that need not be registered. */
  callToolAt(target: McpTarget, tool: string, args: JsonObject, signal: AbortSignal): Promise<JsonValue> {
    return this.sessions.use(target, async (session) => {
      const { inputSchema } = await findTool(session, tool);
      return readResult(await session.callTool(tool, fitArguments(args, inputSchema), signal));
    });
  }

  /** The tools of a registered server. Rejects with McpFailure. */
  async listTools(workspaceId: number, serverId: number): Promise<McpTool[]> {
    const target = await this.servers.target(workspaceId, serverId);
    return this.sessions.use(target, (session) => session.listTools({ anew: true }));
  }

  /** Connects to a server as if for the first time. */
  async test(workspaceId: number, serverId: number): Promise<McpReport> {
    try {
      const session = await connect(this.outbound, await this.servers.target(workspaceId, serverId));
      const tools = await session.listTools().finally(() => session.close());
      return { server: session.server, tools };
    } catch (error) {
      if (error instanceof McpFailure) return { problem: error.message };
      throw error;
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.sessions.closeAll();
  }
}

/** Finds a tool. Reads the list again if it lacks the tool, because servers may add tools during a session. */
async function findTool(session: McpSession, name: string): Promise<McpTool> {
  const isNamed = (tool: McpTool) => tool.name === name;
  const found = (await session.listTools()).find(isNamed);
  if (found) return found;
  const tools = await session.listTools({ anew: true });
  const added = tools.find(isNamed);
  if (added) return added;
  const names = tools.map((tool) => tool.name);
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  const known = names.length === 0 ? 'It has none.' : `It has: ${names.slice(0, LISTED).join(', ')}${more}.`;
  throw new McpFailure(`The MCP server has no tool "${name}". ${known}`, { isAnswer: true });
}
