import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../src/embedded/ports.js';

/** Proxy between an app and its database or Redis, which can cut the connection. */
export interface Proxy {
  /** The URL that leads to the same service through the proxy. */
  through(serviceUrl: string): string;
  /** Breaks every connection; new ones are refused. */
  cut(): Promise<void>;
  /** Keeps every connection and passes nothing on over it. */
  stall(): void;
  resume(): void;
  /** Does nothing unless it is cut. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxy(): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let target = { host: '127.0.0.1', port: 0 };
  const track = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((incoming) => {
    const outgoing = connect(target);
    track(incoming, outgoing);
    track(outgoing, incoming);
    incoming.pipe(outgoing).pipe(incoming);
  });
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    sockets.forEach((socket) => socket.destroy());
    await closed;
  };
  await listen();
  return {
    through(serviceUrl) {
      const url = new URL(serviceUrl);
      target = { host: url.hostname, port: Number(url.port) };
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    cut,
    stall: () => sockets.forEach((socket) => socket.pause()),
    resume: () => sockets.forEach((socket) => socket.resume()),
    restore: async () => {
      if (!server.listening) await listen();
    },
    close: cut,
  };
}
