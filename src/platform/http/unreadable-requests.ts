import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PlatformErrors } from '../errors/platform.errors.js';
import { standardBody } from './problem.filter.js';
import type { Problem } from '../errors/problem.js';

const REFUSALS: Record<string, () => Problem> = {
  HPE_HEADER_OVERFLOW: () => PlatformErrors.headers_too_large(maxHeaderSize),
  ERR_HTTP_REQUEST_TIMEOUT: () => PlatformErrors.request_too_slow(),
};

/** Answers a request that cannot be parsed or does not end. It has no route, so its error has the standard shape. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = (REFUSALS[error.code ?? ''] ?? PlatformErrors.request_unreadable)();
  const body = JSON.stringify(standardBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
