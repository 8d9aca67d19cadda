import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type WebSocket, WebSocketServer } from 'ws';
import { CONFIG, type Config } from '../platform/config/config.js';
import { addressReader } from '../platform/http/address.js';
import { handleAsRequest } from '../platform/http/upgrades.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { type ConnectionContext, LiveConnection } from './live-connection.js';
import { LiveServices } from './live-services.js';
import { LiveUpdates } from './live-updates.js';

const PATH = '/connection/websocket';
const SUBPROTOCOL = 'centrifuge-json';
const SUBPROTOCOL_HEADER = 'sec-websocket-protocol';
/** Shown by clients, without further meaning. */
const VERSION = '1.0.0';
/** Limit of a frame; commands are short. */
const MAX_FRAME_BYTES = 65_536;

/** Accepts WebSockets of clients that follow channels. Only the token grants access, from any page or program. */
@Injectable()
export class LiveGateway implements OnModuleDestroy {
  private readonly connections = new Set<LiveConnection>();
  private readonly sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
  });
  private timer: NodeJS.Timeout | null = null;
  private isStopping = false;
  private readonly addressOf: ReturnType<typeof addressReader>;

  constructor(
    private readonly services: LiveServices,
    private readonly updates: LiveUpdates,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.addressOf = addressReader(config.trustedProxies);
  }

  /** Upgrades of other paths and to other protocols are handled as plain requests. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isForUs(request)) handleAsRequest(server, { request, socket, head });
      else if (this.isStopping) socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
      else this.upgrade(request, socket, head);
    });
    this.timer = setInterval(() => this.beat(), this.config.liveHeartbeatMs).unref();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    if (this.timer) clearInterval(this.timer);
    for (const connection of this.connections) connection.end('shutdown');
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Some clients send the header without a value when they offer none.
    if (request.headers[SUBPROTOCOL_HEADER]?.trim() === '') delete request.headers[SUBPROTOCOL_HEADER];
    const address = this.addressOf(request);
    this.sockets.handleUpgrade(request, socket, head, (webSocket) => this.accept(webSocket, address));
  }

  private beat(): void {
    for (const connection of this.connections) connection.beat();
    this.updates.check();
  }

  private accept(socket: WebSocket, address: string): void {
    const { config } = this;
    const context: ConnectionContext = {
      services: this.services,
      limits: {
        subscriptions: config.liveSubscriptionsPerConnection,
        waitingBytes: config.liveWaitingBytes,
        heartbeatMs: config.liveHeartbeatMs,
        handshakeMs: config.liveHandshakeMs,
      },
      address,
      version: VERSION,
      ended: (ending) => {
        this.connections.delete(connection);
        this.metrics.counters.liveConnections.inc({ ending });
      },
    };
    const connection = new LiveConnection(socket, context);
    this.connections.add(connection);
  }
}

function isForUs({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === PATH && headers.upgrade?.toLowerCase() === 'websocket';
}
