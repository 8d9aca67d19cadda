import { Body, Controller, Delete, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdministrationErrors } from '../administration/index.js';
import { type Caller, CurrentCaller } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Throws } from '../platform/http/throws.js';
import { Identities, SingleSignOn, SingleSignOnErrors } from '../single-sign-on/index.js';
import { SignedOutResponse } from './console-session.dto.js';
import { IdentitiesResponse, IdentityPath, toIdentityBody } from './identities.dto.js';
import { departureFrom, keepAttempt } from './provider-departure.js';
import { ProviderRequest, ProviderUrlResponse } from './provider-sign-in.dto.js';

const ACCOUNT_PAGE = '/console/settings/account';

@ApiTags('Console')
@Controller('console/identities')
export class IdentitiesController {
  constructor(
    private readonly identities: Identities,
    private readonly singleSignOn: SingleSignOn,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List your identities at identity providers.',
    description: 'You can sign in with each of them. Keys of programs have none.',
  })
  @ApiOkResponse({ type: IdentitiesResponse })
  async list(@CurrentCaller() { user }: Caller): Promise<IdentitiesResponse> {
    const linked = user ? await this.identities.list(user.id) : [];
    return { success: true, identities: linked.map(toIdentityBody) };
  }

  @Post()
  @ApiOperation({
    summary: 'Link an identity to your account.',
    description:
      'Open the returned page in the same browser and sign in there. The identity is then linked, whatever e-mail address it has. Only people who have signed in can do this.',
  })
  @ApiCreatedResponse({ type: ProviderUrlResponse })
  @Throws(
    AdministrationErrors.user_required,
    SingleSignOnErrors.identity_provider_not_found,
    SingleSignOnErrors.provider_unreachable,
    SingleSignOnErrors.provider_answer_invalid,
  )
  async link(
    @CurrentCaller() { user }: Caller,
    @Body() { provider }: ProviderRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProviderUrlResponse> {
    if (!user?.isPresent) throw AdministrationErrors.user_required();
    const departure = departureFrom(request, provider, this.config);
    const linking = { ...departure, userId: user.id, returnTo: ACCOUNT_PAGE };
    const departed = await this.singleSignOn.begin(provider, linking);
    keepAttempt(departed, request, reply);
    return { success: true, url: departed.url.href };
  }

  @Delete(':identity_id')
  @ApiOperation({
    summary: 'Unlink an identity from your account.',
    description:
      'Roles that come from groups of this provider end. 409 `last_way_to_sign_in`: you keep one way to sign in. Open sessions continue.',
  })
  @ApiOkResponse({ type: SignedOutResponse })
  @Throws(SingleSignOnErrors.identity_not_found, SingleSignOnErrors.last_way_to_sign_in)
  async unlink(
    @CurrentCaller() { user, requestId }: Caller,
    @Param() { identity_id: id }: IdentityPath,
  ): Promise<SignedOutResponse> {
    // A personal key must not change how its user signs in.
    if (!user?.isPresent) throw SingleSignOnErrors.identity_not_found(id);
    await this.identities.unlink(requestId, user.id, id);
    return { success: true };
  }
}
