import { Injectable } from '@nestjs/common';
import { AccessErrors, type ApiKey, type Caller } from '../access/index.js';
import {
  AdministrationErrors,
  InvitationsService,
  isRefusal,
  type OpenInvitation,
  type SignInWay,
  UsersService,
} from '../administration/index.js';
import { Problem } from '../platform/errors/problem.js';
import { Identities, type SignedOn } from '../single-sign-on/index.js';
import { type Browser, ConsoleSessions, type SessionOrigin, type StartedSession } from './console-sessions.service.js';

export interface Credentials {
  email: string;
  password: string;
  /** Where to begin; without it in the workspace that the user joined first. */
  workspaceId: number | null;
}

/** Sign-in of people, by password and by invitation. */
@Injectable()
export class SignIns {
  constructor(
    private readonly users: UsersService,
    private readonly invitations: InvitationsService,
    private readonly sessions: ConsoleSessions,
    private readonly identities: Identities,
  ) {}

  /** Throws local_sign_in_off, sign_in_failed, sign_ins_limited and no_workspace. */
  async byPassword(
    requestId: string,
    { email, password, workspaceId }: Credentials,
    browser: Browser,
  ): Promise<StartedSession> {
    await this.requireLocal();
    const way = { way: 'password' } as const;
    return this.recorded(requestId, { ...way, email }, browser, async () => {
      const user = await this.users.authenticate(email, password);
      const member = await this.users.findMembership(user.id, workspaceId);
      if (!member) throw AdministrationErrors.no_workspace();
      return this.start(requestId, member, browser, { way });
    });
  }

  /** Throws local_sign_in_off, link_invalid and sign_in_failed. */
  async byInvitation(
    requestId: string,
    acceptance: { token: string; name: string | null; password: string },
    browser: Browser,
  ): Promise<StartedSession> {
    await this.requireLocal();
    const way = { way: 'invitation' } as const;
    return this.recorded(requestId, { ...way, email: null }, browser, async () =>
      this.start(requestId, await this.invitations.accept(requestId, acceptance), browser, { way }),
    );
  }

  /** A user whom an identity provider vouches for. Throws no_workspace. */
  async byProvider(
    requestId: string,
    { user, workspaceId, providerId, provider, sid, idToken }: SignedOn,
    browser: Browser,
  ): Promise<StartedSession> {
    const way = { way: 'provider', provider } as const;
    return this.recorded(requestId, { ...way, email: user.email }, browser, async () => {
      const wanted = await this.users.findMembership(user.id, workspaceId);
      const member = wanted ?? (await this.users.findMembership(user.id, null));
      if (!member) throw AdministrationErrors.no_workspace();
      return this.start(requestId, member, browser, { way, origin: { providerId, providerSid: sid, idToken } });
    });
  }

  /** By a link of the operator, whatever LOCAL_SIGN_IN is. Throws link_invalid and no_workspace. */
  async byLink(requestId: string, token: string, browser: Browser): Promise<StartedSession> {
    const way = { way: 'link' } as const;
    return this.recorded(requestId, { ...way, email: null }, browser, async () => {
      const user = await this.users.authenticateByLink(requestId, token);
      const member = await this.users.findMembership(user.id, null);
      if (!member) throw AdministrationErrors.no_workspace();
      return this.start(requestId, member, browser, { way });
    });
  }

  /** Throws link_invalid. */
  readInvitation(token: string): Promise<OpenInvitation> {
    return this.invitations.open(token);
  }

  /**
   * The same user in another of their workspaces, for the rest of their session. Throws workspace_not_found, user_required for keys,
   * and api_key_invalid when the session has been ended meanwhile.
   */
  async inWorkspace(caller: Caller, workspaceId: number, browser: Browser): Promise<StartedSession> {
    const { user, requestId } = caller;
    const member = user && (await this.users.findMembership(user.id, workspaceId));
    if (member && user.isPresent) {
      const origin = await this.sessions.originOf(browser.token);
      if (!origin) throw AccessErrors.api_key_invalid();
      return this.start(requestId, member, browser, { origin, until: origin.expiresAt });
    }
    const isOwn = workspaceId === caller.workspaceId;
    throw isOwn ? AdministrationErrors.user_required() : AccessErrors.workspace_not_found(workspaceId);
  }

  /** Throws local_sign_in_off. */
  async requireLocal(): Promise<void> {
    if (!(await this.identities.havePasswords())) throw AdministrationErrors.local_sign_in_off();
  }

  /** Records a refusal in the audit trail of the installation. `email` is the address that was given; null for links. */
  private async recorded<T>(
    requestId: string,
    { email, ...way }: SignInWay & { email: string | null },
    { address }: Browser,
    signIn: () => Promise<T>,
  ): Promise<T> {
    try {
      return await signIn();
    } catch (error) {
      if (error instanceof Problem && isRefusal(error)) {
        await this.users.noteRefusal(requestId, email, { ...way, reason: error.code, address });
      }
      throw error;
    }
  }

  /** Without a way it is the session of somebody who has signed in before, which ends at `until`. */
  private async start(
    requestId: string,
    { workspaceId, id: keyId, userId, name }: ApiKey,
    browser: Browser,
    { way, origin, until }: { way?: SignInWay; origin?: SessionOrigin; until?: Date },
  ): Promise<StartedSession> {
    await this.users.noteSignIn(userId!);
    const signIn = way && { ...way, userId: userId!, name };
    return this.sessions.start({ workspaceId, keyId, requestId, origin, until, signIn }, browser);
  }
}
