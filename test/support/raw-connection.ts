import { once } from 'node:events';
import net from 'node:net';

/** A TCP connection to the server over which a test writes any bytes. */
export class RawConnection {
  /** All data that the server has sent. */
  received = '';
  /** Resolves when the server, or the test, has ended the connection. */
  readonly closed: Promise<void>;

  private constructor(private readonly socket: net.Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && !this.socket.readableEnded;
  }

  /** The statuses of all answers so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)]
      .map(([, status]) => Number(status))
      .filter((s) => s !== 100);
  }

  /** Resolves when it is on its way, and anyhow when the connection is closed. */
  async send(data: string | Buffer): Promise<void> {
    const sent = new Promise((resolve) => this.socket.write(data, resolve));
    await Promise.race([sent, this.closed]);
  }

  /** The head of a POST with JSON. */
  post(path: string, headers: Record<string, string | number>): Promise<void> {
    const lines = Object.entries({ host: 'test', 'content-type': 'application/json', ...headers });
    return this.send(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  }

  /** The first answer with its body; what there is when the server hangs up before. */
  async answer(): Promise<{ status: number; text: string }> {
    while (!this.isWhole() && this.isOpen) await Promise.race([once(this.socket, 'data'), this.closed]);
    return { status: this.statuses[0] ?? 0, text: this.received };
  }

  close(): void {
    this.socket.destroy();
  }

  private isWhole(): boolean {
    const [, length] = /content-length: (\d+)/i.exec(this.received) ?? [];
    const start = this.received.indexOf('\r\n\r\n');
    return length !== undefined && start >= 0 && this.received.length >= start + 4 + Number(length);
  }
}
