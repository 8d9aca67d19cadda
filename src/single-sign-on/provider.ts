import { domainToASCII } from 'node:url';
import type { IdentityProvider } from './identity-provider.entity.js';

/** A provider, stored or from the environment. */
export interface Provider extends Omit<IdentityProvider, 'id' | 'clientSecret' | 'createdAt'> {
  /** Encrypted in the database, plain in the environment; null for a public client. */
  clientSecret: Buffer | string | null;
  isFromEnvironment: boolean;
  /** null for the one from the environment. */
  createdAt: Date | null;
}

/** The source of the groups that a provider puts users in. */
export const groupSource = ({ slug }: Pick<Provider, 'slug'>): string => `oidc:${slug}`;

/** The scopes with `openid`, without which a provider sends no identity. */
export function withOpenid(scopes: string): string {
  const words = scopes.split(/[\s,]+/).filter((word) => word !== '');
  return [...new Set(['openid', ...words])].join(' ');
}

const LABELS = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Domains as they are compared; null when one of them is none. */
export function readDomains(texts: readonly string[]): string[] | null {
  const domains = texts.map((text) => standardForm(text.trim().replace(/^@/, '')));
  return domains.every((domain) => LABELS.test(domain)) ? [...new Set(domains)] : null;
}

/** The domain of an e-mail address as it is compared; empty when it has none. */
export function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? '' : standardForm(email.slice(at + 1).trim());
}

/** Empty for a text that is no domain. The conversion reads a URL and would leave out its path. */
function standardForm(text: string): string {
  return /[\s/?#@:\\%]/.test(text) ? '' : domainToASCII(text).toLowerCase();
}
