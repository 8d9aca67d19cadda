/** Why a sign-in with an identity provider has failed, by the code in the URL. A test holds the codes against the server. */
export const SIGN_IN_PROBLEMS: Record<string, string> = {
  provider_unreachable:
    'The identity provider does not answer. Try again in a few minutes, or sign in another way. People who are signed in stay signed in.',
  provider_answer_invalid:
    'The answer of the identity provider was not valid, so you were not signed in. Try again. If it happens again, tell your administrator: the log of the server has the reason.',
  sign_in_expired: 'This sign-in was completed, has expired, or began in another browser. Start again.',
  sign_in_cancelled: 'You cancelled the sign-in at the identity provider.',
  email_not_verified:
    'The identity provider does not confirm that your e-mail address is yours. Verify it there, then sign in again.',
  identity_not_linked:
    'There is an account with your e-mail address, but it is not linked to this identity. Sign in the way you did before. Then link this identity in Settings › Your account.',
  identity_of_another: 'This identity is linked to another account. Unlink it there first.',
  not_admitted: 'You have no account here yet. Ask an administrator for an invitation.',
  no_workspace: 'You have an account, but no workspace yet. Ask an administrator for an invitation.',
  user_disabled: 'Your account is disabled. Ask your administrator.',
  groups_unreadable:
    'The identity provider sends too many groups. Ask your administrator to send only those that matter here.',
  invitation_of_another:
    'The invitation is for another e-mail address. Sign in with the identity of that address, or ask for an invitation of yours.',
  link_invalid: 'This invitation was used, was withdrawn or has expired. Ask for a new one.',
  identity_provider_not_found: 'This identity provider cannot be used. Choose another way to sign in.',
  rate_limited: 'There were too many attempts to sign in. Wait a minute and try again.',
};

export function problemOf(code: string | null): string {
  return SIGN_IN_PROBLEMS[code ?? ''] ?? `Sign-in failed (${code ?? 'unknown'}). Try again in a minute.`;
}
