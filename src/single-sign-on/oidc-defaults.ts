/** Defaults of a provider, by API and by environment. */
export const OIDC_DEFAULTS = {
  scopes: 'openid email profile',
  groupsClaim: 'groups',
} as const;
