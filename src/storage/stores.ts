import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Throws } from '../platform/http/throws.js';
import { StorageErrors } from './storage.errors.js';
import type { AuthenticatedRequest } from '../access/index.js';
import { isNear, type Storage, STORAGE_LIMITS, StorageService } from './storage.service.js';

const STORES = 'access:stores';

/** Responses report the usage from 80 % of a limit. */
export const STORAGE_HEADER = 'x-storage-warning';

interface StoresOptions {
  /** The number of sheet rows that a body, not validated yet, requests; or `some` when it is known only later. */
  rows?: 'some' | ((body: { count?: unknown }) => number);
}

/** The route adds data to a workspace. It answers 403 when that would exceed a limit. */
export const Stores = (options: StoresOptions = {}): MethodDecorator =>
  applyDecorators(SetMetadata(STORES, options), Throws(StorageErrors.workspace_full));

/** Admits the data of `@Stores()` routes. */
@Injectable()
export class StorageInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly storage: StorageService,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const options = this.reflector.get<StoresOptions | undefined>(STORES, context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest<{ Body: object }> & AuthenticatedRequest>();
    const { caller, body, receivedBytes: bytes } = request;
    if (!options || !caller) return next.handle();
    const { rows } = options;
    if (rows === 'some') await this.storage.checkRows(caller.workspaceId, 1);
    // The body is not validated yet: a negative number would make room for others.
    const asked = typeof rows === 'function' ? Math.max(0, rows(body ?? {})) : undefined;
    const storage = await this.storage.admit(caller.workspaceId, { bytes, rows: asked });
    const warning = warningOf(storage);
    if (warning !== '') void http.getResponse<FastifyReply>().header(STORAGE_HEADER, warning);
    return next.handle();
  }
}

const warningOf = (storage: Storage): string =>
  STORAGE_LIMITS.filter((name) => isNear(storage[name]))
    .map((name) => `${name}=${storage[name].used}/${storage[name].limit}`)
    .join(', ');
