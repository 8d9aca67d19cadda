import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  auditEverywhere,
  auditRefusal,
  emailKey,
  endPassword,
  findOpenInvitations,
  findOrCreateUser,
  findUserByEmail,
  getOpenInvitation,
  getUser,
  type Invitation,
  joinByInvitation,
  keepRules,
  membershipsOf,
  setGroups,
} from '../administration/index.js';
import { User } from '../access/index.js';
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
  /** The workspace to open; null for the one that the user joined first. */
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

  /** Locks are taken in the order that `lockUsers` of access describes. */
  private decide(visit: Visit): Promise<Admitted> {
    const { provider, person, attempt, requestId } = visit;
    return this.db.transaction(async (tx) => {
      await keepRules(tx);
      const providerId = await this.providers.keep(tx, provider);
      const { issuer } = provider;
      const identity = { providerId, issuer, subject: person.subject };
      // The same person may sign in twice at once, in two tabs.
      await lockUntilCommit(tx, 'identity', providerId, issuer, person.subject);
      const known = await tx.findOneBy(UserIdentity, identity);
      const { user, invitations } = await (known ? welcomeBack(tx, visit, known) : welcome(tx, visit));
      if (user.status !== 'active') throw SingleSignOnErrors.user_disabled();
      const opened = await findOpened(tx, visit, user);
      const accepted = opened ? [opened] : invitations;
      const linkId = known ? null : await insertIdentity(tx, { ...identity, userId: user.id, email: person.email });
      await setGroups(tx, requestId, {
        source: groupSource(provider),
        users: [{ userId: user.id, groups: person.groups }],
        joining: joiningBy(tx, requestId, user, accepted),
      });
      if (linkId !== null) await finishWelcome(tx, visit, user, linkId);
      return { user, providerId, workspaceId: opened?.workspaceId ?? attempt.workspaceId };
    });
  }
}

/** Memberships from invitations. */
const joiningBy = (tx: EntityManager, requestId: string, user: User, invitations: Invitation[]) => ({
  workspaceIds: invitations.map(({ workspaceId }) => workspaceId),
  join: async () => {
    for (const invitation of invitations) await joinByInvitation(tx, requestId, invitation, user);
  },
});

async function insertIdentity(tx: EntityManager, identity: Partial<UserIdentity>): Promise<number> {
  const { identifiers } = await tx.insert(UserIdentity, identity);
  return identifiers[0]!.id as number;
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

/** A user who is locked, and the invitations that they accept by signing in. */
interface Entering {
  user: User;
  invitations: Invitation[];
}

async function welcomeBack(tx: EntityManager, { person, attempt }: Visit, known: UserIdentity): Promise<Entering> {
  if (attempt.userId !== null && attempt.userId !== known.userId) throw SingleSignOnErrors.identity_of_another();
  const user = await getUser(tx, known.userId, { lock: true });
  const change = { email: person.email, lastSignInAt: new Date() };
  const { affected } = await tx.update(UserIdentity, { id: known.id }, change);
  // The identity was unlinked before the user was locked.
  if (affected !== 1) throw SingleSignOnErrors.sign_in_expired();
  return { user, invitations: [] };
}

async function finishWelcome(tx: EntityManager, visit: Visit, user: User, identityId: number): Promise<void> {
  const { requestId, person, provider } = visit;
  const details = { name: user.name ?? user.email, provider: provider.slug, email: person.email };
  const deed = { action: 'identity.link', entityId: identityId, details };
  await auditEverywhere(tx, { requestId, by: 'user' }, user, [deed]);
  await requireGroups(tx, visit, user);
}

/** Finds or creates the account for a new identity. */
async function welcome(tx: EntityManager, visit: Visit): Promise<Entering> {
  const { person, attempt } = visit;
  if (attempt.userId !== null) return { user: await getUser(tx, attempt.userId, { lock: true }), invitations: [] };
  const { email, name } = person;
  if (email === null || !person.isEmailVerified) throw SingleSignOnErrors.email_not_verified();
  const existing = await findUserByEmail(tx, email);
  if (!existing) return created(tx, visit, { email, name });
  const user = await getUser(tx, existing.id, { lock: true });
  return { user: await joined(tx, visit, user), invitations: [] };
}

/**
 * An account that has the verified address, if it has no identity yet. An invitation that was opened joins the two, and ends the
 * password of the account: the sender of an earlier invitation may have accepted it. Throws identity_not_linked.
 */
async function joined(tx: EntityManager, { person, attempt, requestId }: Visit, existing: User): Promise<User> {
  if (attempt.invitationHash) await requireInvitationFor(tx, attempt.invitationHash, [person.email!]);
  if (await tx.existsBy(UserIdentity, { userId: existing.id })) throw SingleSignOnErrors.identity_not_linked();
  if (attempt.invitationHash) await endPassword(tx, requestId, existing);
  // Without an invitation only an unused account that another system has provisioned is linked.
  else if (existing.password !== null || existing.lastSeenAt !== null) throw SingleSignOnErrors.identity_not_linked();
  return existing;
}

/** A new account, with the open invitations of the verified address. Throws not_admitted. */
async function created(
  tx: EntityManager,
  { provider, attempt, requestId }: Visit,
  { email, name }: Pick<User, 'email' | 'name'>,
): Promise<Entering> {
  const invitations = attempt.invitationHash ? [] : await findOpenInvitations(tx, email);
  const mayJoin = attempt.invitationHash !== null || invitations.length > 0 || isAdmitted(provider, email);
  if (!mayJoin) throw SingleSignOnErrors.not_admitted();
  const { user, created: isNew } = await findOrCreateUser(tx, requestId, { email, name });
  // Another account took the address concurrently.
  if (!isNew) throw SingleSignOnErrors.identity_not_linked();
  return { user, invitations };
}

/** Whether people with this address may have an account. Groups are checked when they are stored, see `requireGroups`. */
function isAdmitted({ admission, domains }: Provider, email: string): boolean {
  return admission === 'groups' || (admission === 'domains' && domains.includes(domainOf(email)));
}

/** The invitation that was opened in this sign-in; null without one. */
async function findOpened(tx: EntityManager, { person, attempt }: Visit, user: User): Promise<Invitation | null> {
  if (!attempt.invitationHash) return null;
  const addresses = person.isEmailVerified ? [user.email, person.email!] : [user.email];
  return requireInvitationFor(tx, attempt.invitationHash, addresses);
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
