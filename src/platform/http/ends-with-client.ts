import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { whileWanted } from '../database/wanted.js';
import { PlatformErrors } from '../errors/platform.errors.js';

/** Stops the handler when its client has disconnected. */
class EndsWithClientInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const signal = clientGone(context.switchToHttp().getResponse<FastifyReply>());
    return defer(async () => {
      try {
        return await whileWanted(signal, () => lastValueFrom<unknown>(next.handle()));
      } catch (error) {
        // A cancelled statement looks like a failure or a timeout.
        throw signal.aborted ? signal.reason : error;
      }
    });
  }
}

/** Aborted when the connection is closed before the answer has been sent. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(PlatformErrors.client_gone());
  if (raw.closed || raw.socket?.destroyed) abort();
  else raw.once('close', () => raw.writableFinished || abort());
  return gone.signal;
}

/**
 * For routes that only read and can take long: when the client closes the connection, the running statement is cancelled in the
 * database and no other is started.
 */
export const EndsWithClient = (): MethodDecorator & ClassDecorator =>
  applyDecorators(UseInterceptors(new EndsWithClientInterceptor()));
