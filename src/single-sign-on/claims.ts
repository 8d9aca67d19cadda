import { LONGEST_GROUP_NAME } from '../administration/index.js';
import { isSafe, safeText } from '../platform/safe-text.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

/** The most groups that are read. */
const MOST_GROUPS = 1000;
/** The limit of OpenID Connect. */
const LONGEST_SUBJECT = 255;
const LONGEST_EMAIL = 320;
const LONGEST_NAME = 255;
const LONGEST_SID = 1024;

/** A person as a provider describes them. */
export interface Person {
  subject: string;
  /** Null when the provider sends none. */
  email: string | null;
  /** True only when the provider says `email_verified: true`. */
  isEmailVerified: boolean;
  name: string | null;
  groups: string[];
  /** The session at the provider. */
  sid: string | null;
}

export type Claims = Record<string, unknown>;

/**
 * Reads the claims of the ID token, and of the userinfo endpoint those that the token lacks. Throws provider_answer_invalid and
 * groups_unreadable.
 */
export function readPerson(token: Claims, userinfo: Claims | null, groupsClaim: string): Person {
  const { sub: subject, sid } = token;
  if (!isText(subject, LONGEST_SUBJECT)) throw SingleSignOnErrors.provider_answer_invalid();
  // The address and its verification must come from the same source.
  const { email, email_verified: isVerified } = token.email === undefined && userinfo ? userinfo : token;
  const knownEmail = isText(email, LONGEST_EMAIL) && email.includes('@') ? email.trim() : null;
  const name = token.name ?? userinfo?.name;
  return {
    subject,
    email: knownEmail,
    isEmailVerified: knownEmail !== null && isVerified === true,
    name: typeof name === 'string' && name.trim() !== '' ? safeText(name.trim()).slice(0, LONGEST_NAME) : null,
    groups: readGroups(token, userinfo, groupsClaim),
    sid: isText(sid, LONGEST_SID) ? sid : null,
  };
}

/** Whether the userinfo endpoint is needed: claims may be in the token or there. */
export function needsUserinfo(token: Claims, groupsClaim: string): boolean {
  return token.email === undefined || claimAt(token, groupsClaim) === undefined;
}

function readGroups(token: Claims, userinfo: Claims | null, claim: string): string[] {
  const found = claimAt(token, claim) ?? (userinfo ? claimAt(userinfo, claim) : undefined);
  // A provider with too many groups for a token refers to another service instead. Without them roles would be lost.
  if (found === undefined && refersElsewhere(token, claim)) throw SingleSignOnErrors.groups_unreadable();
  const names: unknown[] = typeof found === 'string' ? [found] : Array.isArray(found) ? found : [];
  if (names.length > MOST_GROUPS) throw SingleSignOnErrors.groups_unreadable();
  // Other names can have no rule.
  return [...new Set(names.filter((name) => isText(name, LONGEST_GROUP_NAME)))];
}

/** A claim by its name, or by a path with dots. A name with dots in it takes precedence. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path] ?? undefined;
  let at: unknown = claims;
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Claims)[key];
  }
  return at ?? undefined;
}

function refersElsewhere({ _claim_names: names }: Claims, claim: string): boolean {
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest && isSafe(value);
}
