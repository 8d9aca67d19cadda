import { createHmac } from 'node:crypto';

/** The header and its value are part of the contract: published verifiers look for them. */
export const SIGNATURE_HEADER = 'X-PromptLayer-Signature';

/** Hexadecimal HMAC-SHA256 of the body with the text of the secret as key. */
export function sign(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Context to which the secrets of a workspace's webhooks are bound. */
export function secretPlace(workspaceId: number): string {
  return `webhooks of workspace ${workspaceId}`;
}
