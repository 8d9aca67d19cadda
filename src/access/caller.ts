import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Problem } from '../platform/errors/problem.js';
import { declared, type Grants, type Role } from './roles/permissions.js';

/** The caller of a request and its workspace. The first argument of every service method. */
export interface Caller {
  workspaceId: number;
  /** null for the operator, who uses the admin token or the command line instead of a key. */
  keyId: number | null;
  /** The name that `keyNameOf` gives the key; null for the operator. */
  keyName: string | null;
  roles: readonly Role[];
  /** The permissions of the roles; those of the user limit them, see `can`. */
  grants: Grants;
  /** The user of a personal key or a console session; null for service keys, the operator and the server itself. */
  user: CallingUser | null;
  requestId: string;
  /** The client's address according to the trusted proxies; undefined for the operator and for the server itself. */
  address?: string;
}

/** The operator or the server itself, acting in a workspace with all permissions. */
export function operatorIn(workspaceId: number, requestId: string): Caller {
  return {
    workspaceId,
    keyId: null,
    keyName: null,
    roles: ['admin'],
    grants: new Set(declared()),
    user: null,
    requestId,
  };
}

/** The user behind a request. A personal key has at most the permissions that its user has now. */
export interface CallingUser {
  id: number;
  roles: readonly Role[];
  grants: Grants;
  /** True in a session of the console, false for a program with a personal key. */
  isPresent: boolean;
}

/** The origin of a request with a key. */
export interface RequestOrigin {
  id: string;
  ip: string;
}

/** Fields that authentication sets on a request. */
export interface AuthenticatedRequest {
  id: string;
  caller?: Caller;
  /** Why the existing key of the request is refused. */
  keyRefusal?: Problem;
  /** True when the request carries the admin token of the installation. */
  isOperator?: boolean;
  /** The SCIM token of an identity provider, on the routes for these. */
  scimTokenId?: number;
}

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Error('A handler without a caller asked for one: it is public or for operators only.');
  return caller;
});
