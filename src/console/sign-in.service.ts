import { Inject, Injectable } from '@nestjs/common';
import {
  AccessErrors,
  type ApiKey,
  type Caller,
  InvitationsService,
  type OpenInvitation,
  UsersService,
} from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { type Browser, ConsoleSessions, type StartedSession } from './console-sessions.service.js';

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
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws local_sign_in_off, sign_in_failed, sign_ins_limited and no_workspace. */
  async byPassword(
    requestId: string,
    { email, password, workspaceId }: Credentials,
    browser: Browser,
  ): Promise<StartedSession> {
    this.requireLocal();
    const user = await this.users.authenticate(email, password);
    const member = await this.users.findMembership(user.id, workspaceId);
    if (!member) throw AccessErrors.no_workspace();
    return this.start(requestId, member, browser);
  }

  /** Throws local_sign_in_off, link_invalid and sign_in_failed. */
  async byInvitation(
    requestId: string,
    acceptance: { token: string; name: string | null; password: string },
    browser: Browser,
  ): Promise<StartedSession> {
    this.requireLocal();
    return this.start(requestId, await this.invitations.accept(requestId, acceptance), browser);
  }

  /** Throws link_invalid. */
  readInvitation(token: string): Promise<OpenInvitation> {
    return this.invitations.open(token);
  }

  /** The same user in another of their workspaces. Throws workspace_not_found, and user_required for keys. */
  async inWorkspace(caller: Caller, workspaceId: number, browser: Browser): Promise<StartedSession> {
    const { user, requestId } = caller;
    const member = user && (await this.users.findMembership(user.id, workspaceId));
    if (member && user.isPresent) return this.start(requestId, member, browser);
    const isOwn = workspaceId === caller.workspaceId;
    throw isOwn ? AccessErrors.user_required() : AccessErrors.workspace_not_found(workspaceId);
  }

  /** Throws local_sign_in_off. */
  requireLocal(): void {
    if (!this.config.localSignIn) throw AccessErrors.local_sign_in_off();
  }

  private async start(requestId: string, member: ApiKey, browser: Browser): Promise<StartedSession> {
    const { workspaceId, id: keyId, userId } = member;
    await this.users.noteSignIn(userId!);
    return this.sessions.start({ workspaceId, keyId, requestId }, browser);
  }
}
