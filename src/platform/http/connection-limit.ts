import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './address.js';

/**
 * Holds every address to a number of connections. One more ends the one that has been idle for longest, so that connections
 * that somebody opens and leaves alone keep nobody out; only when all are at work the new one is turned away.
 */
export function limitConnections(server: Server, perAddress: number): void {
  const byAddress = new Map<string, Set<Socket>>();
  const busy = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const open = byAddress.get(address) ?? new Set();
    byAddress.set(address, open);
    // Its request is handled once more, without the upgrade that it has asked for.
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

  // A connection that has become another protocol waits for no request.
  server.on('upgrade', ({ socket }) => {
    busy.add(socket);
    socket.once('close', () => busy.delete(socket));
  });

  server.on('request', ({ socket }, response) => {
    busy.add(socket);
    response.once('close', () => {
      busy.delete(socket);
      // The set remembers the order: it is the last that became idle.
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
