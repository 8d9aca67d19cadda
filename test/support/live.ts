import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Client } from './client.js';
import type { TestSheet } from './factories.js';
import type { TestApp } from './test-app.js';

export interface Update {
  execution_id: string;
  status: string;
  completed: number;
  failed: number;
  total: number;
}

export interface Frame {
  id?: number;
  connect?: { client: string; version: string; ping: number; pong: boolean; expires: boolean; ttl: number };
  error?: { code: number; message: string };
  push?: { channel: string; pub: { data: { message_name: string; data: Update } } };
}

interface TokenDetails {
  token: string;
  expires: number;
  issued: number;
  capability: Record<string, string[]>;
  clientId: string;
}

export const TOKENS = '/ws-token-request-library';

export const channelOf = (sheet: TestSheet): string => `smart_sheets:smart_sheet#${sheet.id}`;

export async function tokenFor(client: Client, channel: string): Promise<TokenDetails> {
  const answer = await client.post(`${TOKENS}?capability=${encodeURIComponent(channel)}`, undefined, 201);
  return (answer as { token_details: TokenDetails }).token_details;
}

/** The WebSocket of a server that listens. */
export async function addressOf(app: Pick<TestApp, 'app'>['app']): Promise<string> {
  if (!app.getHttpServer().listening) await app.listen(0, '127.0.0.1');
  return `${(await app.getUrl()).replace('http', 'ws')}/connection/websocket`;
}

/** WebSocket client that sends any frame. */
export class LiveSocket {
  readonly frames: Frame[] = [];
  /** The code with which the server has closed it, and why. */
  readonly closed: Promise<[number, string]>;
  private lastId = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      for (const line of data.toString().split('\n')) this.frames.push(JSON.parse(line) as Frame);
    });
    this.closed = new Promise((resolve) => socket.once('close', (code, why) => resolve([code, why.toString()])));
  }

  static async open(
    url: string,
    subprotocols: string[] = [],
    headers: Record<string, string> = {},
  ): Promise<LiveSocket> {
    const live = new LiveSocket(new WebSocket(url, subprotocols, { headers }));
    await once(live.socket, 'open');
    return live;
  }

  /** Opens a connection and authenticates it with its token. */
  static async connect(url: string, token: string): Promise<LiveSocket> {
    const live = await LiveSocket.open(url);
    await live.ask({ connect: { token } });
    return live;
  }

  /** Sends a command and gives the answer. */
  ask(command: object): Promise<Frame> {
    const id = ++this.lastId;
    this.socket.send(JSON.stringify({ id, ...command }));
    return this.find((frame) => frame.id === id);
  }

  /** The first frame of this kind, which may be still to come. Rejects when the connection ends before. */
  async find(matches: (frame: Frame) => unknown): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(matches);
      if (found) return found;
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('The connection has ended.');
      await Promise.race([once(this.socket, 'message'), this.closed]);
    }
  }

  /** Waits until an execution has this status, and returns the update. */
  async update(executionId: string, status: string): Promise<Update> {
    const updateOf = ({ push }: Frame) => push?.pub.data.data;
    const frame = await this.find(
      (each) => updateOf(each)?.execution_id === executionId && updateOf(each)?.status === status,
    );
    return updateOf(frame)!;
  }

  close(): void {
    this.socket.terminate();
  }
}
