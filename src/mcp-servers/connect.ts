import type { OutboundClient } from '../platform/outbound/outbound.client.js';
import type { McpSession, McpTarget } from './mcp-session.js';

/** The client of the protocol is loaded when it is first needed: most processes call no tools. */
export async function connect(outbound: OutboundClient, target: McpTarget): Promise<McpSession> {
  const { McpSession: Session } = await import('./mcp-session.js');
  return Session.connect(outbound, target);
}
