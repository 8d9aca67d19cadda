import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './address.js';

/**
 * Limits the connections of every address. A new one beyond the limit closes the connection that was idle longest, so that idle
 * connections lock no client out. Only when all are busy the new one is refused.
 */
export function limitConnections(server: Server, perAddress: number): void {
  const byAddress = new Map<string, Set<Socket>>();
  const busy = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const open = byAddress.get(address) ?? new Set();
    byAddress.set(address, open);
    // Its request is handled again, without its upgrade headers.
    if (open.has(socket)) return;
    if (open.size >= perAddress && !endIdle(open, busy)) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0 && byAddress.get(address) === open) byAddress.delete(address);
    });
  });

  // An upgraded connection waits for no request.
  server.on('upgrade', ({ socket }) => {
    busy.add(socket);
    socket.once('close', () => busy.delete(socket));
  });

  server.on('request', ({ socket }, response) => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      // The set keeps the order: this one became idle last.
      const open = byAddress.get(networkOf(socket.remoteAddress ?? ''));
      if (open?.delete(socket)) open.add(socket);
    });
  });
}

/** Ends the first connection that waits for a request. False when there is none. */
function endIdle(open: Set<Socket>, busy: ReadonlySet<Socket>): boolean {
  for (const socket of open) {
    if (busy.has(socket)) continue;
    open.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}
