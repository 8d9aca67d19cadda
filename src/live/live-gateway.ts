import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiKey } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { handleAsRequest } from '../platform/http/upgrades.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { LiveChannels } from './live-channel.js';
import { type ConnectionContext, LiveConnection } from './live-connection.js';
import { LiveFeed } from './live-feed.js';
import type { Ending } from './live-protocol.js';
import { type LiveGrant, LiveTokens } from './live-tokens.js';
import { LiveUpdates } from './live-updates.js';

const PATH = '/connection/websocket';
const SUBPROTOCOL = 'centrifuge-json';
/** Clients only show it. */
const VERSION = '1.0.0';
/** Commands are short. */
const MAX_FRAME_BYTES = 65_536;

/** Takes WebSockets of clients that follow channels. Only the token counts, whichever page or program it comes from. */
@Injectable()
export class LiveGateway implements OnModuleDestroy {
  private readonly connections = new Set<LiveConnection>();
  /** How many connections each key and each workspace has open. */
  private readonly open = new Map<string, number>();
  private readonly sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
  });
  private timer: NodeJS.Timeout | null = null;
  private isStopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly channels: LiveChannels,
    private readonly feed: LiveFeed,
    private readonly tokens: LiveTokens,
    private readonly updates: LiveUpdates,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Upgrades of other paths and to other protocols go on as the requests that they are. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isForUs(request)) handleAsRequest(server, { request, socket, head });
      else if (this.isStopping) socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
      else this.sockets.handleUpgrade(request, socket, head, (webSocket) => this.accept(webSocket));
    });
    this.timer = setInterval(() => this.beat(), this.config.liveHeartbeatMs).unref();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    if (this.timer) clearInterval(this.timer);
    for (const connection of this.connections) connection.end('shutdown');
  }

  private beat(): void {
    for (const connection of this.connections) connection.beat();
    this.updates.check();
  }

  private accept(socket: WebSocket): void {
    const { config } = this;
    const context: ConnectionContext = {
      channels: this.channels,
      feed: this.feed,
      tokens: this.tokens,
      limits: {
        subscriptions: config.liveSubscriptionsPerConnection,
        waitingBytes: config.liveWaitingBytes,
        heartbeatMs: config.liveHeartbeatMs,
        handshakeMs: config.liveHandshakeMs,
      },
      version: VERSION,
      admit: (grant) => this.admit(grant),
      ended: (ending) => {
        this.connections.delete(connection);
        this.metrics.counters.liveConnections.inc({ ending });
      },
    };
    const connection = new LiveConnection(socket, context);
    this.connections.add(connection);
  }

  private async admit({ workspaceId, keyId }: LiveGrant): Promise<(() => void) | Ending> {
    const key = { workspaceId, id: keyId, revokedAt: IsNull() };
    if (!(await this.db.manager.existsBy(ApiKey, key))) return 'invalidToken';
    const { liveConnectionsPerKey, liveConnectionsPerWorkspace } = this.config;
    const [ofKey, ofWorkspace] = [`key:${keyId}`, `workspace:${workspaceId}`];
    const isFull = this.count(ofKey) >= liveConnectionsPerKey || this.count(ofWorkspace) >= liveConnectionsPerWorkspace;
    if (isFull) return 'connectionLimit';
    this.add(ofKey, 1);
    this.add(ofWorkspace, 1);
    return () => {
      this.add(ofKey, -1);
      this.add(ofWorkspace, -1);
    };
  }

  private count(owner: string): number {
    return this.open.get(owner) ?? 0;
  }

  private add(owner: string, change: number): void {
    const count = this.count(owner) + change;
    if (count > 0) this.open.set(owner, count);
    else this.open.delete(owner);
  }
}

function isForUs({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === PATH && headers.upgrade?.toLowerCase() === 'websocket';
}
