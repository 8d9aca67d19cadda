import { onOffAuto, oneOf, optionalUrl, secret, type SettingValues, text } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { readEnvironmentProvider } from './environment-provider.js';
import { ADMISSIONS, IdentityProvider, secretPlace } from './identity-provider.entity.js';
import { LogoutToken } from './logout-token.entity.js';
import { OIDC_DEFAULTS } from './oidc-defaults.js';
import { SignInAttempt } from './sign-in-attempt.entity.js';
import { SingleSignOnModule } from './single-sign-on.module.js';
import { UserIdentity } from './user-identity.entity.js';

const settings = {
  localSignIn: onOffAuto('LOCAL_SIGN_IN', {
    description:
      'Whether people can sign in to the console with an e-mail address and a password: `on`, `off`, or `auto`, which is off while there is an identity provider to sign in with.',
  }),
  oidcIssuer: optionalUrl('OIDC_ISSUER', ['http:', 'https:'], {
    description:
      'Issuer of an OpenID provider with which people sign in to the console. Further ones are added with the admin API. Empty for none.',
  }),
  oidcClientId: text('OIDC_CLIENT_ID', {
    fallback: '',
    description: 'Id that this provider has given the server. Needed with OIDC_ISSUER.',
  }),
  oidcClientSecret: secret('OIDC_CLIENT_SECRET', {
    minLength: 1,
    description: 'Secret that this provider has given the server. Without it the server is a public client with PKCE.',
  }),
  oidcName: text('OIDC_NAME', {
    fallback: 'single sign-on',
    description: 'Name of this provider on the button of the sign-in page.',
  }),
  oidcScopes: text('OIDC_SCOPES', {
    fallback: OIDC_DEFAULTS.scopes,
    description: 'Scopes to ask this provider for, separated by spaces.',
  }),
  oidcGroupsClaim: text('OIDC_GROUPS_CLAIM', {
    fallback: OIDC_DEFAULTS.groupsClaim,
    description:
      'Claim in which this provider lists the groups of a person. Dots lead into objects, as in `realm_access.roles`.',
  }),
  oidcAdmission: oneOf('OIDC_ADMISSION', ADMISSIONS, {
    fallback: 'invited',
    description:
      'People who get an account with the first sign-in, besides those with an open invitation: nobody else (`invited`), people with addresses of OIDC_DOMAINS (`domains`), or people in a group with a rule (`groups`).',
  }),
  oidcDomains: text('OIDC_DOMAINS', {
    fallback: '',
    description: 'Domains of e-mail addresses, separated by commas, for `OIDC_ADMISSION=domains`.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('single-sign-on', {
  holds: 'OpenID providers, the identities of users at them, and who may come in with one',
  uses: ['administration'],
  module: ({ config }) => {
    // Settings that do not fit together keep the process from starting.
    readEnvironmentProvider(config);
    return config.console ? SingleSignOnModule : null;
  },
  entities: [IdentityProvider, LogoutToken, SignInAttempt, UserIdentity],
  secrets: [
    {
      what: 'client secrets of identity providers',
      table: 'identity_providers',
      column: 'client_secret',
      placeOf: ({ slug }) => secretPlace(String(slug)),
    },
  ],
  settings,
});
