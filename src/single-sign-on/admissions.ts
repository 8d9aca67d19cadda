import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  auditEverywhere,
  auditRefusal,
  emailKey,
  findOpenInvitations,
  findOrCreateUser,
  findUserByEmail,
  getOpenInvitation,
  getUser,
  joinByInvitation,
  keepRules,
  membershipsOf,
  setGroups,
  User,
} from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { Problem } from '../platform/errors/problem.js';
import type { Person } from './claims.js';
import { IdentityProviders } from './identity-providers.service.js';
import { domainOf, groupSource, type Provider } from './provider.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';
import { UserIdentity } from './user-identity.entity.js';

/** A person who has come back from a provider. */
export interface Visit {
  requestId: string;
  /** Network address of the browser. */
  address: string;
  provider: Provider;
  person: Person;
  attempt: Pick<SignInAttempt, 'invitationHash' | 'userId' | 'workspaceId'>;
}

/** The user who is signed in, and where. */
export interface Admitted {
  user: User;
  providerId: number;
  /** The workspace to begin in; null for the one that the user joined first. */
  workspaceId: number | null;
}

/** Decides who a person is and whether they may come in. An e-mail address alone never leads to an account. */
@Injectable()
export class Admissions {
  constructor(
    private readonly db: DataSource,
    private readonly providers: IdentityProviders,
  ) {}

  /**
   * Throws user_disabled, email_not_verified, identity_not_linked, identity_of_another, invitation_of_another, link_invalid and
   * not_admitted.
   */
  async admit(visit: Visit): Promise<Admitted> {
    try {
      return await this.decide(visit);
    } catch (error) {
      if (error instanceof Problem) await noteRefusal(this.db.manager, visit, error.code);
      throw error;
    }
  }

  private decide(visit: Visit): Promise<Admitted> {
    const { provider, person, attempt, requestId } = visit;
    return this.db.transaction(async (tx) => {
      // Before members are locked: a change of a rule waits for them.
      await keepRules(tx);
      const providerId = await this.providers.idOf(tx, provider);
      const { issuer } = provider;
      const identity = { providerId, issuer, subject: person.subject };
      // The same person may arrive in two tabs at once.
      await lockUntilCommit(tx, 'identity', providerId, issuer, person.subject);
      const known = await tx.findOneBy(UserIdentity, identity);
      const user = await (known ? welcomeBack(tx, visit, known) : welcome(tx, visit, identity));
      if (user.status !== 'active') throw SingleSignOnErrors.user_disabled();
      const invitedTo = await acceptInvitation(tx, visit, user);
      await setGroups(tx, requestId, groupSource(provider), [{ userId: user.id, groups: person.groups }]);
      if (!known) await requireGroups(tx, visit, user);
      return { user, providerId, workspaceId: invitedTo ?? attempt.workspaceId };
    });
  }
}

/** Names the user of a known identity, or else the one with a verified address. */
async function noteRefusal(
  db: EntityManager,
  { requestId, provider, person, address }: Visit,
  reason: string,
): Promise<void> {
  const { issuer, slug } = provider;
  const known = await db.findOne(UserIdentity, {
    where: { issuer, subject: person.subject, provider: { slug } },
    relations: { user: true },
  });
  const email = person.isEmailVerified ? person.email : null;
  const user = known?.user ?? (email === null ? null : await findUserByEmail(db, email));
  await auditRefusal(db, requestId, user, { way: 'provider', provider: slug, reason, address });
}

type Identity = Pick<UserIdentity, 'providerId' | 'issuer' | 'subject'>;

async function welcomeBack(tx: EntityManager, { person, attempt }: Visit, known: UserIdentity): Promise<User> {
  if (attempt.userId !== null && attempt.userId !== known.userId) throw SingleSignOnErrors.identity_of_another();
  await tx.update(UserIdentity, { id: known.id }, { email: person.email, lastSignInAt: new Date() });
  return getUser(tx, known.userId);
}

async function welcome(tx: EntityManager, visit: Visit, identity: Identity): Promise<User> {
  const { requestId, person, provider } = visit;
  const user = await userOf(tx, visit);
  const { identifiers } = await tx.insert(UserIdentity, { ...identity, userId: user.id, email: person.email });
  const details = { name: user.name ?? user.email, provider: provider.slug, email: person.email };
  const deed = { action: 'identity.link', entityId: identifiers[0]!.id as number, details };
  await auditEverywhere(tx, { requestId, by: 'user' }, user, [deed]);
  return user;
}

/** The account of somebody whose identity is new. */
async function userOf(tx: EntityManager, visit: Visit): Promise<User> {
  const { person, attempt } = visit;
  if (attempt.userId !== null) return getUser(tx, attempt.userId);
  const { email, name } = person;
  if (email === null || !person.isEmailVerified) throw SingleSignOnErrors.email_not_verified();
  const existing = await findUserByEmail(tx, email);
  return existing ? joined(tx, visit, existing) : created(tx, visit, { email, name });
}

/** An account that has the verified address. An invitation that was opened joins the two. Throws identity_not_linked. */
async function joined(tx: EntityManager, { person, attempt }: Visit, existing: User): Promise<User> {
  if (attempt.invitationHash) {
    await requireInvitationFor(tx, attempt.invitationHash, [person.email!]);
    return existing;
  }
  // An account that another system has made, and nobody has used, waits for this.
  if (await isUnused(tx, existing)) return existing;
  throw SingleSignOnErrors.identity_not_linked();
}

/** A new account, with the open invitations of the verified address. Throws not_admitted. */
async function created(
  tx: EntityManager,
  { provider, attempt, requestId }: Visit,
  { email, name }: Pick<User, 'email' | 'name'>,
): Promise<User> {
  const invitations = attempt.invitationHash ? [] : await findOpenInvitations(tx, email);
  const mayJoin = attempt.invitationHash !== null || invitations.length > 0 || isAdmitted(provider, email);
  if (!mayJoin) throw SingleSignOnErrors.not_admitted();
  const { user, created: isNew } = await findOrCreateUser(tx, requestId, { email, name });
  // Somebody else has taken the address in this moment.
  if (!isNew) throw SingleSignOnErrors.identity_not_linked();
  for (const invitation of invitations) await joinByInvitation(tx, requestId, invitation, user);
  return user;
}

/** Whether anybody with such an address may have an account. Groups are checked when they are stored, see `requireGroups`. */
function isAdmitted({ admission, domains }: Provider, email: string): boolean {
  return admission === 'groups' || (admission === 'domains' && domains.includes(domainOf(email)));
}

/** A user without a way to sign in who was never here, such as one that was provisioned. */
async function isUnused(tx: EntityManager, { id, password, lastSeenAt }: User): Promise<boolean> {
  if (password !== null || lastSeenAt !== null) return false;
  return !(await tx.existsBy(UserIdentity, { userId: id }));
}

/** The workspace of the invitation that was opened in this sign-in; null without one. */
async function acceptInvitation(
  tx: EntityManager,
  { requestId, person, attempt }: Visit,
  user: User,
): Promise<number | null> {
  if (!attempt.invitationHash) return null;
  const addresses = person.isEmailVerified ? [user.email, person.email!] : [user.email];
  const invitation = await requireInvitationFor(tx, attempt.invitationHash, addresses);
  await joinByInvitation(tx, requestId, invitation, user);
  return invitation.workspaceId;
}

async function requireInvitationFor(tx: EntityManager, hash: Buffer, addresses: string[]) {
  const invitation = await getOpenInvitation(tx, hash);
  const isTheirs = addresses.some((address) => emailKey(address) === invitation.emailKey);
  if (!isTheirs) throw SingleSignOnErrors.invitation_of_another();
  return invitation;
}

/** With the admission by groups, a new person without a workspace is in no group with a rule. */
async function requireGroups(tx: EntityManager, { provider, attempt }: Visit, user: User): Promise<void> {
  if (provider.admission !== 'groups' || attempt.userId !== null) return;
  if ((await membershipsOf(tx, user.id)).length === 0) throw SingleSignOnErrors.not_admitted();
}
