import { findRetryAfterMs, mayPass } from '../../platform/outbound/passing-failures.js';

/** Why a call of a model brought no answer, in words for whoever has to do something about it. */
export class ModelFailure extends Error {
  constructor(
    message: string,
    readonly kind: ModelFailureKind,
    /** Whether another try may help, and after how many milliseconds the service says so. */
    readonly retry: { afterMs: number | null } | null,
  ) {
    super(message);
  }
}

export type ModelFailureKind = 'credentials' | 'rate_limit' | 'timeout' | 'provider' | 'unknown';

const LONGEST = 1000;

/** What vendors' clients and our own throw, in words. `credential` is its name; null when there was none to use. */
export function toModelFailure(error: unknown, provider: string, credential: string): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const retry = mayPass(error) ? { afterMs: findRetryAfterMs(error) } : null;
  const status = statusOf(error);
  if (status !== null)
    return new ModelFailure(describe(status, error, { provider, credential }), kindOf(status), retry);
  if (isConnectionProblem(error)) {
    const reason =
      (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : messageOf(error);
    return new ModelFailure(`${provider} could not be reached: ${reason}`, 'provider', retry ?? { afterMs: null });
  }
  return new ModelFailure(`The call of ${provider} failed: ${messageOf(error)}`, 'unknown', retry);
}

function describe(status: number, error: unknown, names: { provider: string; credential: string }): string {
  const { provider, credential } = names;
  const said = messageOf(error).replace(new RegExp(`^${status} `), '');
  const answer = `${provider} answered ${status}${said ? `: ${said}` : '.'}`;
  if (status === 401 || status === 403) {
    return `${answer} The secret of the credential "${credential}" of ${provider} may be wrong or may not do this; an administrator can change it under model-credentials.`;
  }
  return answer;
}

function kindOf(status: number): ModelFailureKind {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 429) return 'rate_limit';
  return status === 408 || status === 504 ? 'timeout' : 'provider';
}

function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : null;
}

/** Vendors' clients have classes of their own for it, which carry the failure of the connection as their cause. */
function isConnectionProblem(error: unknown): boolean {
  return error instanceof Error && (/Connection/.test(error.constructor.name) || mayPass(error));
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
}
