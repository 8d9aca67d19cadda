import { type AddressInfo, connect } from 'node:net';
import type { TestApp } from './test-app.js';

const MIB = 1024 * 1024;

/**
 * Sends so many MiBs with chunked encoding and one byte more, after which nothing is left to be sent to a server that has had
 * enough; gives the first line of its answer. The app must listen.
 */
export function sendChunks(app: TestApp, count: number, to: { path: string; apiKey?: string }): Promise<string> {
  const { port } = app.app.getHttpServer().address() as AddressInfo;
  const chunk = `100000\r\n${' '.repeat(MIB)}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let sent = 0;
    const more = (): void => {
      while (sent < count && !socket.destroyed) {
        sent++;
        if (!socket.write(chunk)) return;
      }
      if (sent++ === count) socket.write('1\r\n \r\n');
    };
    socket.once('connect', () => {
      socket.write(`${headOf(to).join('\r\n')}\r\n\r\n`);
      more();
    });
    socket.on('drain', more);
    socket.once('data', (data) => {
      resolve(data.toString('latin1').split('\r\n')[0]!);
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed the connection without an answer.')));
  });
}

function headOf({ path, apiKey }: { path: string; apiKey?: string }): string[] {
  const key = apiKey === undefined ? [] : [`X-API-KEY: ${apiKey}`];
  const type = 'Content-Type: application/json';
  return [`POST ${path} HTTP/1.1`, 'Host: x', ...key, type, 'Transfer-Encoding: chunked'];
}
