import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  type JSONRPCMessage,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../platform/json.js';
import type { OutboundClient } from '../platform/outbound/outbound.client.js';
import type { McpTransport } from './mcp-server.entity.js';
import { McpFailure } from './mcp-failure.js';
import { connectionLost, tooLate, toRefusal, toTransportFailure } from './mcp-failures.js';
import { watchedResponse } from './watched-response.js';

/** Address and headers of a server. Workspaces never share sessions. */
export interface McpTarget {
  workspaceId: number;
  url: string;
  /** null if it is not known: the newer one is tried first. */
  transport: McpTransport | null;
  headers: Record<string, string>;
}

/** A tool as its server describes it. */
export interface McpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
}

/** Result of a test of a server. */
export type McpReport = { problem: string } | { server: string; tools: McpTool[] };

/** Timeout of every request but calls of tools, whose callers set the timeout. */
const PATIENCE_MS = 15_000;
const CLOSING_MS = 2_000;
/** The longest possible timer, because callers bring a signal. */
const NO_TIMEOUT = 2_147_483_647;
/** Maximum characters of the descriptions of all tools, which stay in memory during a session. */
const MAX_TOOLS = 5_000_000;
/** Each broken stream is resumed once. Requests that wait for it have timeouts. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 1,
};

/** A request of the protocol that waits for its answer. */
interface Exchange {
  end: AbortController;
  /** True if the server has numbered the events of the answer, so the rest can be requested when the connection breaks. */
  isResumable: boolean;
  /** True once the answer is complete. Later events, such as the end of the stream, are ignored. */
  isAnswered: boolean;
}

/** A connection to a server, initialized, over which many tools may be called at the same time. */
export class McpSession {
  /** Set when no further call can use it. */
  isLost = false;
  private readonly client = new Client({ name: 'tracesheet', version: '1' });
  private readonly transport: StreamableHTTPClientTransport | SSEClientTransport;
  private readonly exchange = new AsyncLocalStorage<Exchange>();
  private readonly open = new Set<Exchange>();
  private tools: Promise<McpTool[]> | null = null;
  /** Failure of the stream of a server with the older transport. */
  private streamFailure: McpFailure | null = null;

  private constructor(
    private readonly outbound: OutboundClient,
    target: McpTarget,
    private readonly isSse: boolean,
  ) {
    const options = { fetch: this.fetch, requestInit: { headers: target.headers } };
    this.transport = isSse
      ? new SSEClientTransport(new URL(target.url), options)
      : new StreamableHTTPClientTransport(new URL(target.url), { ...options, reconnectionOptions: RECONNECTION });
    // The client calls its own handler after this one.
    this.transport.onmessage = (message: JSONRPCMessage) => {
      const exchange = this.exchange.getStore();
      if (exchange && !('method' in message)) exchange.isAnswered = true;
    };
  }

  /** Rejects with McpFailure. */
  static async connect(outbound: OutboundClient, target: McpTarget): Promise<McpSession> {
    if (target.transport !== null) return this.connectBy(outbound, target, target.transport === 'sse');
    try {
      return await this.connectBy(outbound, target, false);
    } catch (error) {
      // Servers with the older transport answer the newer one with these.
      if (![400, 404, 405].includes((error as McpFailure).status ?? 0)) throw error;
      return this.connectBy(outbound, target, true);
    }
  }

  private static async connectBy(outbound: OutboundClient, target: McpTarget, isSse: boolean): Promise<McpSession> {
    const session = new McpSession(outbound, target, isSse);
    try {
      // The client has a timeout for answers, but none for the stream of an older server.
      const timeout = AbortSignal.timeout(PATIENCE_MS);
      await session.run((options) => session.client.connect(session.transport, options), timeout);
      return session;
    } catch (error) {
      await session.close();
      throw session.streamFailure ?? toTransportFailure(error);
    }
  }

  /** Name and version that the server reports. */
  get server(): string {
    const { name = '', version = '' } = this.client.getServerVersion() ?? {};
    return `${name} ${version}`.trim();
  }

  /** Lists the tools. Reads them once unless `anew` is set. Rejects with McpFailure. */
  async listTools({ anew = false } = {}): Promise<McpTool[]> {
    if (anew) this.tools = null;
    this.tools ??= this.readTools();
    const reading = this.tools;
    try {
      return await reading;
    } catch (error) {
      if (this.tools === reading) this.tools = null;
      throw error;
    }
  }

  /** Returns the result of a tool, also one that reports a failure. Rejects with McpFailure, or with the reason of the signal. */
  async callTool(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
    const call = { method: 'tools/call', params: { name, arguments: args } } as const;
    try {
      return await this.ask((options) => this.client.request(call, CallToolResultSchema, options), signal);
    } catch (error) {
      // The tool may have other parameters now.
      this.tools = null;
      throw error;
    }
  }

  /** Ends the session on the server if possible. Never rejects. */
  async close(): Promise<void> {
    this.isLost = true;
    if (this.transport instanceof StreamableHTTPClientTransport) {
      await this.transport.terminateSession().catch(() => undefined);
    }
    await this.client.close().catch(() => undefined);
  }

  private async readTools(): Promise<McpTool[]> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    let size = 0;
    do {
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const;
      const answer = await this.ask((options) => this.client.request(request, ListToolsResultSchema, options), signal);
      size += JSON.stringify(answer).length;
      if (size > MAX_TOOLS)
        throw new McpFailure(`The MCP server describes its tools with more than ${MAX_TOOLS / 1e6} MB.`);
      tools.push(...(answer.tools as McpTool[]));
      cursor = answer.nextCursor;
    } while (cursor);
    return tools;
  }

  private async ask<T>(request: (options: RequestOptions) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await this.run(request, signal);
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : toTransportFailure(error);
    }
  }

  /** Rejects at once when the signal is aborted or the connection is lost. */
  private async run<T>(request: (options: RequestOptions) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const exchange: Exchange = { end: new AbortController(), isResumable: false, isAnswered: false };
    const { end } = exchange;
    const abort = () => end.abort(isTimeout(signal.reason) ? tooLate(PATIENCE_MS) : signal.reason);
    const ended = new Promise<never>((_, reject) => {
      end.signal.addEventListener('abort', () => reject(end.signal.reason as Error), { once: true });
    });
    const onresumptiontoken = () => (exchange.isResumable = true);
    const options = { signal: end.signal, timeout: NO_TIMEOUT, onresumptiontoken };
    signal.addEventListener('abort', abort, { once: true });
    this.open.add(exchange);
    try {
      return await Promise.race([this.exchange.run(exchange, () => request(options)), ended]);
    } finally {
      signal.removeEventListener('abort', abort);
      this.open.delete(exchange);
    }
  }

  /** The fetch function of the protocol client. */
  private readonly fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET' } = init;
    if (method === 'DELETE') return this.outbound.fetch(url, { ...init, signal: AbortSignal.timeout(CLOSING_MS) });
    const isStream = method === 'GET' && !new Headers(init.headers).has('last-event-id');
    if (!isStream) return this.call(url, init, this.exchange.getStore());
    // Unrequested messages of a newer server are not used.
    return this.isSse ? this.openStream(url, init) : Promise.resolve(new Response(null, { status: 405 }));
  };

  /** Sends a call. Aborting it closes the connection. */
  private async call(url: string | URL, init: RequestInit, exchange: Exchange | undefined): Promise<Response> {
    if (!exchange) return this.send(url, init);
    try {
      const signal = AbortSignal.any([exchange.end.signal, ...(init.signal ? [init.signal] : [])]);
      return watchedResponse(await this.send(url, { ...init, signal }, Infinity), (error) => {
        // Handlers of the last message run first.
        setImmediate(() => this.onAnswerEnd(exchange, error));
      });
    } catch (error) {
      this.end(exchange, toTransportFailure(error));
      throw error;
    }
  }

  /** The stream by which an older server sends all its answers. */
  private async openStream(url: string | URL, init: RequestInit): Promise<Response> {
    try {
      return watchedResponse(await this.send(url, init, Infinity), (error) => {
        setImmediate(() => this.onStreamEnd(error));
      });
    } catch (error) {
      this.streamFailure = toTransportFailure(error);
      throw error;
    }
  }

  /** The size of a watched response is limited as it is read, by message. */
  private async send(url: string | URL, init: RequestInit, maxBytes?: number): Promise<Response> {
    const response = await this.outbound.fetch(url, init, maxBytes);
    if (!response.ok) throw await toRefusal(response, this.isSse);
    return response;
  }

  private onAnswerEnd(exchange: Exchange, error: unknown): void {
    // Older servers answer on their stream. The client requests the rest of an answer that is resumable.
    if (!this.isSse && !exchange.isResumable && !exchange.isAnswered) this.end(exchange, connectionLost(error));
  }

  private onStreamEnd(error: unknown): void {
    if (this.isLost) return;
    for (const exchange of this.open) this.end(exchange, connectionLost(error));
    void this.close();
  }

  /** Ends an exchange with a failure. An answered exchange is not affected. */
  private end(exchange: Exchange, failure: McpFailure): void {
    if (this.open.has(exchange)) exchange.end.abort(failure);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
