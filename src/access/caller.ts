import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Problem } from '../platform/errors/problem.js';
import type { Role } from './permissions.js';

/** Who makes a request, and for which workspace. The first argument of every service method. */
export interface Caller {
  workspaceId: number;
  /** null for the operator, who uses the admin token or the command line instead of a key. */
  keyId: number | null;
  /** The name that `keyNameOf` gives the key; null for the operator. */
  keyName: string | null;
  roles: readonly Role[];
  requestId: string;
  /** Where the request comes from, as the proxies that are trusted tell it; undefined for the operator and for the server itself. */
  address?: string;
}

/** Where a key was shown. */
export interface RequestOrigin {
  id: string;
  ip: string;
}

/** What authentication leaves on a request. */
export interface AuthenticatedRequest {
  id: string;
  caller?: Caller;
  /** Why the key of the request, which exists, does not count. */
  keyRefusal?: Problem;
  /** True when the request carries the admin token of the installation. */
  isOperator?: boolean;
}

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Error('A handler without a caller asked for one: it is public or for operators only.');
  return caller;
});
