import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiCreatedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdministrationErrors } from '../administration/index.js';
import type { AuthenticatedRequest } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Public } from '../platform/http/request.js';
import { Throws } from '../platform/http/throws.js';
import { SingleSignOn, SingleSignOnErrors } from '../single-sign-on/index.js';
import { PasswordResets } from './password-resets.js';
import { pageAt } from './own-address.js';
import {
  DepartureQuery,
  InvitationProviderRequest,
  ProviderPath,
  ProviderUrlResponse,
  SignInWaysResponse,
  toSignInProvider,
} from './provider-sign-in.dto.js';
import { departureFrom, keepAttempt } from './provider-departure.js';
import { SignInProblemFilter } from './sign-in-problem.filter.js';
import { browserOf } from './session-answers.js';
import { attemptTokenIn, sessionCookie } from './session-cookie.js';
import { LIMITED } from './sign-in.controller.js';
import { SignIns } from './sign-in.service.js';

type Request = FastifyRequest & AuthenticatedRequest;

/** Sign-in with identity providers. Browsers are sent to a provider and come back, so two routes answer with redirects. */
@ApiTags('Console')
@Controller('console')
export class ProviderSignInController {
  constructor(
    private readonly singleSignOn: SingleSignOn,
    private readonly passwords: PasswordResets,
    private readonly signIns: SignIns,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('sign-in')
  @ApiOperation({
    summary: 'Read the ways to sign in.',
    description: 'For the sign-in page. API keys can always be used.',
  })
  @Public()
  @ApiOkResponse({ type: SignInWaysResponse })
  async ways(): Promise<SignInWaysResponse> {
    const providers = (await this.singleSignOn.listProviders()).map(toSignInProvider);
    const { hasPasswords, canReset } = await this.passwords.describe();
    return {
      success: true,
      providers,
      has_passwords: hasPasswords,
      can_reset_password: canReset,
      session_idle_minutes: this.config.sessionIdleMinutes,
    };
  }

  @Post('invitation/sign-in')
  @ApiOperation({
    summary: 'Accept an invitation by signing in with an identity provider.',
    description:
      'Open the returned page in the same browser. The invitation is accepted when the provider vouches for the address that was invited. The token is the part of the link after `#`.',
  })
  @Public()
  @LIMITED
  @ApiCreatedResponse({ type: ProviderUrlResponse })
  @Throws(
    AdministrationErrors.link_invalid,
    SingleSignOnErrors.identity_provider_not_found,
    SingleSignOnErrors.provider_unreachable,
    SingleSignOnErrors.provider_answer_invalid,
  )
  async accept(
    @Body() { token, provider }: InvitationProviderRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProviderUrlResponse> {
    await this.signIns.readInvitation(token);
    const departure = { ...departureFrom(request, provider, this.config), invitationToken: token };
    const departed = await this.singleSignOn.begin(provider, departure);
    keepAttempt(departed, request, reply);
    return { success: true, url: departed.url.href };
  }

  /** Sends the browser to the provider. */
  @Get('sign-in/:provider')
  @ApiExcludeEndpoint()
  @Public()
  @LIMITED
  @UseFilters(SignInProblemFilter)
  async depart(
    @Param() { provider }: ProviderPath,
    @Query() { to, workspace_id: workspaceId }: DepartureQuery,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const departure = { ...departureFrom(request, provider, this.config), returnTo: pageAt(to), workspaceId };
    const departed = await this.singleSignOn.begin(provider, departure);
    keepAttempt(departed, request, reply);
    await reply.redirect(departed.url.href, 302);
  }

  /** The provider sends the browser back here. */
  @Get('sign-in/:provider/callback')
  @ApiExcludeEndpoint()
  @Public()
  @UseFilters(SignInProblemFilter)
  async arrive(
    @Param() { provider }: ProviderPath,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { searchParams: query } = new URL(request.url, 'http://console.invalid');
    const callback = { query, browserToken: attemptTokenIn(request), address: request.ip };
    const signedOn = await this.singleSignOn.finish(request.id, provider, callback);
    if (!signedOn.isLink) {
      const started = await this.signIns.byProvider(request.id, signedOn, browserOf(request));
      void reply.header('set-cookie', sessionCookie(started, request));
    }
    await reply.redirect(signedOn.returnTo, 302);
  }
}
