import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  /** Bytes after the headers. */
  head: Buffer;
}

/** Headers that only an upgrade has. */
const OF_UPGRADES = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Node passes every upgrade request to its listeners. Some HTTP clients request HTTP/2 with each first request, which a server may
 * ignore. This ignores it: the request is parsed again without those headers.
 */
export function handleAsRequest(server: Server, { request, socket, head }: Upgrade): void {
  const { method, url, httpVersion, rawHeaders, headers } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!OF_UPGRADES.has(rawHeaders[at]!.toLowerCase())) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  if (/\bclose\b/i.test(headers.connection ?? '')) lines.push('Connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
