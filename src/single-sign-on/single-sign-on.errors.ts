import { defineErrors } from '../platform/errors/problem.js';

/** Errors of the routes. Errors of a sign-in reach the console as a code in the URL, and the console has the texts. */
export const SingleSignOnErrors = defineErrors({
  identity_provider_not_found: {
    status: 404,
    message: (slug: string) => `The identity provider ${slug} was not found.`,
  },
  identity_provider_exists: {
    status: 409,
    message: (slug: string) => `There is an identity provider ${slug} already.`,
  },
  identity_provider_read_only: {
    status: 409,
    message: (slug: string) =>
      `The identity provider ${slug} is set by the environment (OIDC_ISSUER and the other OIDC_ settings). Change it there.`,
  },
  identity_provider_issuer_refused: {
    status: 400,
    message: (problem: string) => `The issuer is refused. ${problem}`,
  },
  identity_not_found: { status: 404, message: (id: number) => `You have no linked identity ${id}.` },
  last_way_to_sign_in: {
    status: 409,
    message: 'This is your last way to sign in. Link another identity or ask for a password first.',
  },
  provider_unreachable: {
    status: 503,
    headers: { 'retry-after': '30' },
    message: 'The identity provider does not answer. People who are signed in stay so. Try again in a few minutes.',
  },
  provider_answer_invalid: {
    status: 403,
    message:
      'The answer of the identity provider is not valid, so it was refused. The log of the server has the reason.',
  },
  sign_in_expired: {
    status: 403,
    message: 'This sign-in was completed, has expired or belongs to another browser. Start again.',
  },
  sign_in_cancelled: { status: 403, message: 'The sign-in was cancelled at the identity provider.' },
  email_not_verified: {
    status: 403,
    message: 'The identity provider does not vouch for your e-mail address (email_verified).',
  },
  identity_not_linked: {
    status: 403,
    message:
      'There is an account with your e-mail address that is not linked to this identity. Sign in the way you did before, then link it in Your account.',
  },
  identity_of_another: { status: 409, message: 'This identity is linked to another account.' },
  not_admitted: {
    status: 403,
    message: 'You have no account on this installation. Ask an administrator for an invitation.',
  },
  user_disabled: { status: 403, message: 'Your account is disabled.' },
  groups_unreadable: {
    status: 403,
    message: 'The identity provider sends more groups than this server reads. Send only those that have a rule.',
  },
  invitation_of_another: {
    status: 403,
    message: 'The invitation is for another e-mail address than the one of your identity.',
  },
  logout_token_invalid: { status: 400, message: 'The logout token is not valid, or was used before.' },
});
