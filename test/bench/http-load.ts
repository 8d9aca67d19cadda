import net from 'node:net';

export interface LoadResult {
  /** Milliseconds from the first request to the last answer. */
  elapsedMs: number;
  /** Milliseconds of every request. */
  latencies: number[];
}

export interface Target {
  url: string;
  headers: Record<string, string>;
}

/**
 * Sends every body once with `clients` requests under way at any moment, each client over a connection of its own. Fails on
 * the first answer that is neither a 200 nor a 201.
 */
export async function sendAll(target: Target, bodies: Buffer[], clients: number): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const start = performance.now();
  const client = async () => {
    const connection = await Connection.to(target);
    while (next < bodies.length) {
      const body = bodies[next++]!;
      const sent = performance.now();
      await connection.post(body);
      latencies.push(performance.now() - sent);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { elapsedMs: performance.now() - start, latencies };
}

const END_OF_HEAD = '\r\n\r\n';

/**
 * A client that takes as little as possible of the processor that it shares with the server: it knows the answers of this
 * server, which say how long they are.
 */
class Connection {
  private received: Buffer = Buffer.alloc(0);
  private settle: { resolve: () => void; reject: (error: Error) => void } | null = null;

  private constructor(
    private readonly socket: net.Socket,
    private readonly target: Target,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.settle?.reject(error));
    socket.on('close', () => this.settle?.reject(new Error(`${target.url} closed the connection.`)));
  }

  static async to(target: Target): Promise<Connection> {
    const { hostname, port } = new URL(target.url);
    const socket = net.connect(Number(port), hostname);
    const connection = new Connection(socket, target);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return connection;
  }

  post(body: Buffer): Promise<void> {
    const { pathname, host } = new URL(this.target.url);
    const headers = { host, ...this.target.headers, 'content-length': body.length };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.cork();
      this.socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
      this.socket.write(body);
      this.socket.uncork();
    });
  }

  close(): void {
    this.settle = null;
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    this.received = this.received.length > 0 ? Buffer.concat([this.received, chunk]) : chunk;
    const answer = this.received.toString('latin1');
    const head = answer.indexOf(END_OF_HEAD);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
    if (head < 0 || answer.length < head + END_OF_HEAD.length + length) return;
    this.received = Buffer.alloc(0);
    const status = answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    if (status === '200' || status === '201') this.settle!.resolve();
    else this.settle!.reject(new Error(`${this.target.url} answered ${answer}`));
  }
}
