import type { EntityManager } from 'typeorm';
import type { Problem } from '../../platform/errors/problem.js';
import { auditInstallation, type User } from '../../access/index.js';

/** How a person signs in. */
export interface SignInWay {
  way: 'password' | 'invitation' | 'link' | 'provider';
  /** The slug of the identity provider. */
  provider?: string;
}

/** A person who signs in, from a network address. */
export interface SignInDeed extends SignInWay {
  userId: number;
  name: string | null;
  workspaceId: number;
  address: string;
}

export interface RefusedSignIn extends SignInWay {
  /** The code of the error that refused it. */
  reason: string;
  address: string;
}

/** Stands for the user of a refused sign-in without an account. */
const NOBODY = 'unknown';

/** Codes of answers that decide nothing about a person, or that anybody can cause at any rate. */
const UNDECIDED = new Set([
  'sign_in_expired',
  'sign_in_cancelled',
  'identity_provider_not_found',
  'local_sign_in_off',
  'provider_unreachable',
  'sign_ins_limited',
]);

/** Whether a sign-in ended because the person or the credential was refused. */
export const isRefusal = ({ code }: Problem): boolean => !UNDECIDED.has(code);

/** Records a sign-in in the audit trail of the installation. */
export function auditSignIn(tx: EntityManager, requestId: string, signIn: SignInDeed): Promise<void> {
  const { userId, name, way, provider, workspaceId, address } = signIn;
  const details = { name, by: 'user', way, provider, workspace_id: workspaceId, address };
  return auditInstallation(tx, requestId, [{ action: 'user.sign_in', entityId: userId, details }]);
}

/** Records a refused sign-in in the audit trail of the installation. */
export function auditRefusal(
  tx: EntityManager,
  requestId: string,
  user: Pick<User, 'id' | 'name' | 'email'> | null,
  refusal: RefusedSignIn,
): Promise<void> {
  const { way, provider, reason, address } = refusal;
  const details = { name: user ? (user.name ?? user.email) : null, by: 'user', way, provider, reason, address };
  return auditInstallation(tx, requestId, [{ action: 'user.fail_sign_in', entityId: user?.id ?? NOBODY, details }]);
}
