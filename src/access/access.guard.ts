import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Throws } from '../platform/http/throws.js';
import { AccessErrors } from './access.errors.js';
import type { AuthenticatedRequest } from './caller.js';
import { can } from './demand.js';
import { PathLookups } from './path-lookups.js';
import type { Permission } from './roles/permissions.js';

const PERMISSION = 'access:permission';
const OPERATOR = 'access:operator';

/**
 * The route needs a key with this permission. Before a refusal, the resources in the path are looked up by the `@FindsInPath` of
 * each parameter. Routes that find their resource in another way call `demand` after they found it.
 */
export const Can = (permission: Permission): MethodDecorator =>
  applyDecorators(SetMetadata(PERMISSION, permission), Throws(AccessErrors.permission_missing));

/** The route is for the operator of the installation and needs the admin token. */
export const OperatorOnly = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(OPERATOR, 'only'),
    ApiExtension('x-operator', 'only'),
    Throws(AccessErrors.operator_required),
  );

/** The route accepts the admin token or a key, with the permission if one is named. Its path names the workspace. */
export const OperatorToo = (permission?: Permission): MethodDecorator =>
  applyDecorators(
    SetMetadata(OPERATOR, 'too'),
    ApiExtension('x-operator', 'too'),
    ...(permission ? [Can(permission)] : []),
  );

/** Closed unless a route says otherwise: without a valid key only `@Public()` routes answer. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly lookups: PathLookups,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & AuthenticatedRequest>();
    const { public: isPublic, forProviders } = request.routeOptions.config;
    if (isPublic) return true;
    if (forProviders) return request.scimTokenId !== undefined;
    const handler = context.getHandler();
    const operator = this.reflector.get<'only' | 'too' | undefined>(OPERATOR, handler);
    if (operator && request.isOperator) return true;
    if (operator === 'only') throw AccessErrors.operator_required();
    const { caller } = request;
    if (!caller) throw request.keyRefusal ?? AccessErrors.api_key_invalid();
    const permission = this.reflector.get<Permission | undefined>(PERMISSION, handler);
    if (!permission || can(caller, permission)) return true;
    await this.lookups.requireAll(caller, request.params as Record<string, string>);
    throw AccessErrors.permission_missing(permission);
  }
}
