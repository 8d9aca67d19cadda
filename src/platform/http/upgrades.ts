import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  /** What has arrived after the headers. */
  head: Buffer;
}

/** Headers that only an upgrade has. */
const OF_UPGRADES = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Node leaves every request that asks for an upgrade to whoever listens for one. Some HTTP clients ask with each first request
 * for HTTP/2, which a server may ignore. This ignores it: the request is read once more, without those headers.
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
