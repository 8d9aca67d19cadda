import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Client } from './client.js';

const PROGRAM = path.resolve(import.meta.dirname, 'mcp-server.mjs');

export interface McpServerOptions {
  transport: 'streamable_http' | 'sse';
  port?: number;
  /** Callers without it get 401. */
  token?: string;
  /** Answers are JSON instead of streams. */
  json?: boolean;
  /** Answers can be resumed where they broke off. */
  resumable?: boolean;
  /** Number of requests of sessions that get 429 first. */
  busy?: number;
  /** The list of tools has no end. */
  endless?: boolean;
}

interface McpEvent {
  event: 'ready' | 'request' | 'session' | 'call' | 'cancelled' | 'closed' | 'refused' | 'resumed';
  port?: number;
  tool?: string;
  arguments?: object;
  team?: string | null;
}

/** A real server of tools in a process of its own. */
export class McpServerProcess {
  private readonly events: McpEvent[] = [];

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    child.on('message', (event) => this.events.push(event as McpEvent));
  }

  static async start(options: McpServerOptions): Promise<McpServerProcess> {
    const child = fork(PROGRAM, [JSON.stringify(options)], { stdio: 'inherit' });
    const [ready] = (await once(child, 'message')) as [McpEvent];
    return new McpServerProcess(child, ready.port!);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  count(event: McpEvent['event'], tool?: string): number {
    return this.seen(event).filter((each) => tool === undefined || each.tool === tool).length;
  }

  seen(event: McpEvent['event']): McpEvent[] {
    return this.events.filter((each) => each.event === event);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

export interface RegisteredServer {
  id: number;
  name: string;
  url: string;
  transport: string;
  auth: { type: string; last_4: string } | null;
  headers: Record<string, string>;
}

export const mcpServersUrl = (workspaceId: number) => `/api/admin/v1/workspaces/${workspaceId}/mcp-servers`;

/** Registers a server in a workspace of the client. */
export async function registerServer(client: Client, workspaceId: number, body: object): Promise<RegisteredServer> {
  const whole = { name: 'Tools', transport: 'streamable_http', ...body };
  const created = (await client.post(mcpServersUrl(workspaceId), whole, 201)) as { mcp_server: RegisteredServer };
  return created.mcp_server;
}
