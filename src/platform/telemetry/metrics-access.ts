import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/config.js';
import { isLoopback } from '../http/address.js';

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

interface Asked {
  socket: Socket;
  headers: IncomingHttpHeaders;
}

/** Metrics are readable for programs of this machine and with METRICS_TOKEN. */
export function mayReadMetrics(request: Asked, { metricsToken }: Config): boolean {
  return isLocal(request) || (metricsToken !== null && hasToken(request, metricsToken));
}

/** True for local programs, except proxies, which forward the address of their client. */
function isLocal({ socket, headers }: Asked): boolean {
  return FORWARDING.every((name) => headers[name] === undefined) && isLoopback(socket.remoteAddress ?? '');
}

/** Compares in constant time. */
function hasToken({ headers }: Asked, token: string): boolean {
  return timingSafeEqual(sha256(headers.authorization ?? ''), sha256(`Bearer ${token}`));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
