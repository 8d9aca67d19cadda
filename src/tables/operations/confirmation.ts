import { createHash } from 'node:crypto';

const VALID_MS = 15 * 60 * 1000;

/**
 * Asks people to confirm a large recalculation. The token contains the sheet, the cells and an expiry time. It needs no
 * secret: a forged token is a confirmation as well.
 */
export function confirmationToken(request: object, now = Date.now()): string {
  const until = now + VALID_MS;
  return `${until.toString(36)}.${digest(request, until)}`;
}

export function isConfirmed(request: object, token: string | null | undefined, now = Date.now()): boolean {
  const [time = '', given] = (token ?? '').split('.');
  const until = Number.parseInt(time, 36);
  return until > now && until <= now + VALID_MS && given === digest(request, until);
}

function digest(request: object, until: number): string {
  return createHash('sha256')
    .update(JSON.stringify([request, until]))
    .digest('base64url')
    .slice(0, 22);
}
