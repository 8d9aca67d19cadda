import type { Config } from '../platform/config/config.js';
import { StartError } from '../platform/start-error.js';
import type { Provider } from './provider.js';
import { readDomains, withOpenid } from './provider.js';

/** The slug of the provider that the environment sets. It wins over a stored one with this slug. */
export const ENVIRONMENT_SLUG = 'env';

type OidcConfig = Pick<
  Config,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcName'
  | 'oidcScopes'
  | 'oidcGroupsClaim'
  | 'oidcAdmission'
  | 'oidcDomains'
>;

/** Null without OIDC_ISSUER. Throws StartError for settings that do not fit together. */
export function readEnvironmentProvider(config: OidcConfig): Provider | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcAdmission: admission } = config;
  if (!issuer) return null;
  if (!clientId) throw new StartError('OIDC_ISSUER needs OIDC_CLIENT_ID, the id of this server at the provider.');
  const domains = readDomains(config.oidcDomains.split(',').filter((text) => text.trim() !== ''));
  if (!domains) throw new StartError('OIDC_DOMAINS must be domains such as example.com, separated by commas.');
  if (admission === 'domains' && domains.length === 0) {
    throw new StartError('OIDC_ADMISSION=domains needs OIDC_DOMAINS.');
  }
  return {
    slug: ENVIRONMENT_SLUG,
    name: config.oidcName,
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    scopes: withOpenid(config.oidcScopes),
    groupsClaim: config.oidcGroupsClaim,
    admission,
    domains,
    enabled: true,
    isFromEnvironment: true,
    createdAt: null,
  };
}
