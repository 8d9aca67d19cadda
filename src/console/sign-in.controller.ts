import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessErrors, type AuthenticatedRequest, type Caller, CurrentCaller } from '../access/index.js';
import { AdministrationErrors, UsersService } from '../administration/index.js';
import { RateLimit } from '../platform/http/rate-limit.js';
import { Public } from '../platform/http/request.js';
import { Throws } from '../platform/http/throws.js';
import { SessionResponse, SignedOutResponse } from './console-session.dto.js';
import { browserOf, SessionAnswers } from './session-answers.js';
import {
  AcceptInvitationRequest,
  ForgottenPasswordRequest,
  InvitationResponse,
  InvitationTokenRequest,
  PasswordSignInRequest,
  SetPasswordRequest,
  toInvitation,
  WorkspaceChoicePath,
} from './sign-in.dto.js';
import { PasswordResets } from './password-resets.js';
import { SignIns } from './sign-in.service.js';

type Request = FastifyRequest & AuthenticatedRequest;

/** Guessing of passwords and of links is limited together, by address. */
export const LIMITED = RateLimit({
  name: 'console.sign-in',
  perMinute: 'signInsPerMinute',
  noun: 'attempts to sign in',
  per: 'address',
});

@ApiTags('Console')
@Controller('console')
export class SignInController {
  constructor(
    private readonly signIns: SignIns,
    private readonly users: UsersService,
    private readonly answers: SessionAnswers,
    private readonly resets: PasswordResets,
  ) {}

  @Post('sign-in')
  @ApiOperation({
    summary: 'Sign in to the console with an e-mail address and a password.',
    description:
      'Sets the cookie that `POST /console/session` describes, for the user as a member of a workspace. 401 `sign_in_failed` has one text for every cause. 429 `sign_ins_limited`: too many wrong passwords for this address.',
  })
  @Public()
  @LIMITED
  @ApiCreatedResponse({ type: SessionResponse })
  @Throws(
    AdministrationErrors.sign_in_failed,
    AdministrationErrors.sign_ins_limited,
    AdministrationErrors.local_sign_in_off,
    AdministrationErrors.no_workspace,
  )
  async signIn(
    @Body() { email, password, workspace_id: workspaceId }: PasswordSignInRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const credentials = { email, password, workspaceId: workspaceId ?? null };
    const started = await this.signIns.byPassword(request.id, credentials, browserOf(request));
    return this.answers.begin(started, request, reply);
  }

  @Post('invitation')
  @ApiOperation({
    summary: 'Read an invitation by its link.',
    description: 'For the page that the link leads to. The token is the part of the link after `#`.',
  })
  @Public()
  @LIMITED
  @ApiCreatedResponse({ type: InvitationResponse })
  @Throws(AdministrationErrors.link_invalid)
  async invitation(@Body() { token }: InvitationTokenRequest): Promise<InvitationResponse> {
    return toInvitation(await this.signIns.readInvitation(token));
  }

  @Post('invitation/accept')
  @ApiOperation({
    summary: 'Accept an invitation and sign in.',
    description:
      'A new user chooses a password; a user of this installation gives theirs. The link works once. Sets the cookie that `POST /console/session` describes.',
  })
  @Public()
  @LIMITED
  @ApiCreatedResponse({ type: SessionResponse })
  @Throws(
    AdministrationErrors.link_invalid,
    AdministrationErrors.sign_in_failed,
    AdministrationErrors.sign_ins_limited,
    AdministrationErrors.local_sign_in_off,
  )
  async accept(
    @Body() { token, name = null, password }: AcceptInvitationRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const started = await this.signIns.byInvitation(request.id, { token, name, password }, browserOf(request));
    return this.answers.begin(started, request, reply);
  }

  @Post('password')
  @ApiOperation({
    summary: 'Set a password by a link.',
    description:
      'The operator creates the link. It works once, and all sessions of the user end. The token is the part of the link after `#`.',
  })
  @Public()
  @LIMITED
  @ApiCreatedResponse({ type: SignedOutResponse })
  @Throws(AdministrationErrors.link_invalid, AdministrationErrors.local_sign_in_off)
  async setPassword(
    @Body() { token, password }: SetPasswordRequest,
    @Req() { id }: Request,
  ): Promise<SignedOutResponse> {
    await this.signIns.requireLocal();
    await this.users.setPasswordByLink(id, token, password);
    return { success: true };
  }

  @Post('password/forgotten')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Ask for a link to set a new password.',
    description:
      'The answer is the same for every address. An active user of the address gets an e-mail with a link, at most three in 15 minutes. Needs SMTP_URL.',
  })
  @Public()
  @LIMITED
  @ApiAcceptedResponse({ type: SignedOutResponse })
  @Throws(AdministrationErrors.password_reset_off)
  async forgotten(@Body() { email }: ForgottenPasswordRequest, @Req() { id }: Request): Promise<SignedOutResponse> {
    await this.resets.ask(id, email);
    return { success: true };
  }

  @Post('sign-in-link')
  @ApiOperation({
    summary: 'Sign in by a link of the operator.',
    description:
      'For administrators when the identity provider does not answer. `npm run admin -- users sign-in-link` creates the link, which works once, for 15 minutes, whatever LOCAL_SIGN_IN is. The token is the part of the link after `#`. Sets the cookie that `POST /console/session` describes.',
  })
  @Public()
  @LIMITED
  @ApiCreatedResponse({ type: SessionResponse })
  @Throws(AdministrationErrors.link_invalid, AdministrationErrors.no_workspace, AdministrationErrors.sign_in_failed)
  async signInByLink(
    @Body() { token }: InvitationTokenRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const started = await this.signIns.byLink(request.id, token, browserOf(request));
    return this.answers.begin(started, request, reply);
  }

  @Post('session/workspace/:workspace_id')
  @ApiOperation({
    summary: 'Go on in another workspace.',
    description:
      'The session ends and another one begins in the workspace, with a new cookie. It ends when the first one would have ended (`expires_at`). For users who have signed in; keys have one workspace.',
  })
  @ApiCreatedResponse({ type: SessionResponse })
  @Throws(AdministrationErrors.user_required, AccessErrors.workspace_not_found)
  async changeWorkspace(
    @CurrentCaller() caller: Caller,
    @Param() { workspace_id: workspaceId }: WorkspaceChoicePath,
    @Req() request: Request,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const started = await this.signIns.inWorkspace(caller, workspaceId, browserOf(request));
    return this.answers.begin(started, request, reply);
  }
}
