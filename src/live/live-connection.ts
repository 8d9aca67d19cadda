import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { JsonObject } from '../platform/json.js';
import type { LiveMessage } from './live-channel.js';
import type { Follower } from './live-feed.js';
import {
  type Command,
  type Ending,
  ENDINGS,
  isKnown,
  isOffered,
  linesOf,
  type Method,
  PING,
  readCommand,
  type Refusal,
  REFUSALS,
} from './live-protocol.js';
import type { LiveServices } from './live-services.js';
import type { LiveGrant } from './live-tokens.js';

/** Time for a client to answer the close before it is disconnected. */
const CLOSING_MS = 1000;

export interface ConnectionLimits {
  subscriptions: number;
  /** Bytes that may wait for a slow client. */
  waitingBytes: number;
  heartbeatMs: number;
  handshakeMs: number;
}

export interface ConnectionContext {
  services: LiveServices;
  limits: ConnectionLimits;
  /** The address of the client. */
  address: string;
  /** The version of the server. */
  version: string;
  ended(why: Ending | 'client'): void;
}

interface Answer {
  result?: JsonObject;
  error?: Refusal;
  /** Runs after the answer was sent. */
  after?: () => void;
}

/** One WebSocket. Its commands run one after the other. */
export class LiveConnection {
  private readonly log = new Logger(LiveConnection.name);
  private readonly id = randomUUID();
  private readonly subscriptions = new Map<string, () => void>();
  private readonly handshake: NodeJS.Timeout;
  private work: Promise<void> = Promise.resolve();
  private grant: LiveGrant | null = null;
  private release: () => void = () => undefined;
  private isEnded = false;
  /** Whether it sent anything since the last ping. */
  private isAlive = true;

  private readonly methods: Record<Method, (params: JsonObject) => Promise<Answer> | Answer> = {
    connect: (params) => this.connect(params),
    subscribe: (params) => this.subscribe(params),
    unsubscribe: (params) => this.unsubscribe(params),
    refresh: (params) => this.refresh(params),
    ping: () => ({ result: {} }),
  };

  constructor(
    private readonly socket: WebSocket,
    private readonly context: ConnectionContext,
  ) {
    socket.on('message', (data, isBinary) => this.receive(data as Buffer, isBinary));
    socket.on('error', () => undefined);
    socket.on('close', () => this.clear('client'));
    this.handshake = setTimeout(() => this.end('stale'), context.limits.handshakeMs).unref();
  }

  /** Sends a ping; closes a connection that did not answer the last one or has expired. */
  beat(): void {
    if (!this.grant) return;
    if (this.grant.expiresAt <= Date.now()) return this.end('expired');
    if (!this.isAlive) return this.end('noPong');
    this.isAlive = false;
    this.send(PING);
  }

  end(why: Ending): void {
    if (this.isEnded) return;
    this.clear(why);
    const { code, reason } = ENDINGS[why];
    // A slow client would not read the close frame either.
    if (why === 'slow') return this.socket.terminate();
    this.socket.close(code, reason);
    this.socket.resume();
    const timer = setTimeout(() => this.socket.terminate(), CLOSING_MS).unref();
    this.socket.once('close', () => clearTimeout(timer));
  }

  private clear(why: Ending | 'client'): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.handshake);
    for (const leave of this.subscriptions.values()) leave();
    this.subscriptions.clear();
    this.release();
    this.context.ended(why);
  }

  /** Reads no further frame before all commands of a frame are answered, so that waiting data is bounded. */
  private receive(data: Buffer, isBinary: boolean): void {
    if (this.isEnded) return;
    this.isAlive = true;
    if (isBinary) return this.end('inappropriateProtocol');
    this.socket.pause();
    this.work = this.work.then(() => this.carryOut(linesOf(data.toString())));
  }

  private async carryOut(lines: string[]): Promise<void> {
    for (const line of lines) {
      if (this.isEnded) return;
      const command = readCommand(line);
      if (command === 'pong') continue;
      if (!command || !this.mayCome(command)) return this.end('badRequest');
      await this.answer(command);
    }
    if (!this.isEnded) this.socket.resume();
  }

  /** True for `connect` as the first command only. */
  private mayCome({ method }: Command): boolean {
    return (method === 'connect') === (this.grant === null);
  }

  private async answer({ id, method, params }: Command): Promise<void> {
    const { result, error, after } = await this.run(method, params);
    if (this.isEnded) return;
    this.send(JSON.stringify(error ? { id, error } : { id, [method]: result }));
    if (!this.isEnded) after?.();
  }

  private async run(method: string, params: JsonObject): Promise<Answer> {
    if (!isOffered(method)) return { error: isKnown(method) ? REFUSALS.notAvailable : REFUSALS.methodNotFound };
    try {
      return await this.methods[method](params);
    } catch (error) {
      this.log.warn(`The command ${method} of a live connection failed: ${String(error)}`);
      return { error: REFUSALS.internal };
    }
  }

  private async connect({ token }: JsonObject): Promise<Answer> {
    const grant = await this.context.services.tokens.verify(token);
    if (grant === 'expired') return { error: REFUSALS.tokenExpired };
    const { address, services } = this.context;
    const end = (why: Ending) => this.end(why);
    const admitted = grant === 'invalid' ? 'invalidToken' : await services.admission.admit(grant, address, end);
    if (typeof admitted === 'string') {
      this.end(admitted);
      return {};
    }
    this.release = admitted;
    // The client has disconnected meanwhile.
    if (this.isEnded) admitted();
    clearTimeout(this.handshake);
    this.grant = grant as LiveGrant;
    const ping = Math.ceil(this.context.limits.heartbeatMs / 1000);
    return { result: { ...this.session(), ping, pong: true } };
  }

  /** A token of the same workspace and key extends the connection. */
  private async refresh({ token }: JsonObject): Promise<Answer> {
    const grant = await this.context.services.tokens.verify(token);
    if (grant === 'expired') return { error: REFUSALS.tokenExpired };
    const isOurs = grant !== 'invalid' && grant.keyId === this.grant!.keyId;
    if (!isOurs || grant.workspaceId !== this.grant!.workspaceId) return { error: REFUSALS.permissionDenied };
    this.grant = grant;
    return { result: this.session() };
  }

  private session(): JsonObject {
    const ttl = Math.max(1, Math.ceil((this.grant!.expiresAt - Date.now()) / 1000));
    return { client: this.id, version: this.context.version, expires: true, ttl };
  }

  private async subscribe({ channel, token }: JsonObject): Promise<Answer> {
    if (typeof channel !== 'string' || channel === '') return { error: REFUSALS.badRequest };
    if (this.subscriptions.has(channel)) return { error: REFUSALS.alreadySubscribed };
    const found = this.context.services.channels.find(channel);
    if (!found) return { error: REFUSALS.unknownChannel };
    if (!(await this.allows(channel, token))) return { error: REFUSALS.permissionDenied };
    if (this.subscriptions.size >= this.context.limits.subscriptions) return { error: REFUSALS.limitExceeded };
    const topic = { workspaceId: this.grant!.workspaceId, kind: found.kind, params: found.params };
    const follower: Follower = { tell: (messages) => this.push(channel, messages) };
    return {
      result: {},
      after: () => this.subscriptions.set(channel, this.context.services.feed.join(topic, follower)),
    };
  }

  /** A connection may follow the channel of its token, and further ones of its workspace with a token each. */
  private async allows(channel: string, token: unknown): Promise<boolean> {
    if (token === undefined || token === null || token === '') return this.grant!.channel === channel;
    const grant = await this.context.services.tokens.verify(token);
    if (typeof grant === 'string') return false;
    return grant.channel === channel && grant.workspaceId === this.grant!.workspaceId;
  }

  private unsubscribe({ channel }: JsonObject): Answer {
    if (typeof channel !== 'string') return { error: REFUSALS.badRequest };
    this.subscriptions.get(channel)?.();
    this.subscriptions.delete(channel);
    return { result: {} };
  }

  private push(channel: string, messages: LiveMessage[]): void {
    this.send(messages.map((data) => JSON.stringify({ push: { channel, pub: { data } } })).join('\n'));
  }

  private send(text: string): void {
    if (this.isEnded) return;
    this.socket.send(text, () => undefined);
    if (this.socket.bufferedAmount > this.context.limits.waitingBytes) this.end('slow');
  }
}
