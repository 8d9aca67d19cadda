import { Body, Controller, Delete, Get, Param, Patch, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedRequest, Authenticator, OperatorOnly } from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import {
  CreateIdentityProviderRequest,
  IdentityProviderDeletedResponse,
  IdentityProviderPath,
  IdentityProviderResponse,
  IdentityProvidersResponse,
  toNewProvider,
  toProviderBody,
  toProviderChange,
  UpdateIdentityProviderRequest,
} from './identity-providers.dto.js';
import { IdentityProviders } from './identity-providers.service.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

const OPERATOR = 'Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.';

@ApiTags('People')
@Controller('api/admin/v1/identity-providers')
export class IdentityProvidersController {
  constructor(
    private readonly providers: IdentityProviders,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the identity providers of the installation.',
    description: `OpenID providers with which people sign in to the console, without their secrets. ${OPERATOR}`,
  })
  @OperatorOnly()
  @ApiOkResponse({ type: IdentityProvidersResponse })
  async list(): Promise<IdentityProvidersResponse> {
    return { success: true, identity_providers: (await this.providers.list()).map(toProviderBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Add an identity provider.',
    description: `The provider is not contacted yet: it is with the first sign-in. Register \`callback_path\` of the response there. From then on passwords are off unless LOCAL_SIGN_IN is on. ${OPERATOR}`,
  })
  @OperatorOnly()
  @ApiCreatedResponse({ type: IdentityProviderResponse })
  @Throws(
    SingleSignOnErrors.identity_provider_exists,
    SingleSignOnErrors.identity_provider_issuer_refused,
    SecretErrors.secrets_key_missing,
  )
  async create(
    @Req() { id }: AuthenticatedRequest,
    @Body() body: CreateIdentityProviderRequest,
  ): Promise<IdentityProviderResponse> {
    return toResponse(await this.providers.create(id, toNewProvider(body)));
  }

  @Get(':identity_provider')
  @ApiOperation({ summary: 'Read an identity provider.', description: `Without its secret. ${OPERATOR}` })
  @OperatorOnly()
  @ApiOkResponse({ type: IdentityProviderResponse })
  @Throws(SingleSignOnErrors.identity_provider_not_found)
  async get(@Param() { identity_provider: slug }: IdentityProviderPath): Promise<IdentityProviderResponse> {
    return toResponse(await this.providers.get(slug));
  }

  @Patch(':identity_provider')
  @ApiOperation({
    summary: 'Change an identity provider.',
    description: `Missing fields stay as they are. With another issuer people are strangers: identities belong to the issuer that vouched for them. Sessions go on when a provider is disabled. 409 \`identity_provider_read_only\` for the one of the environment. ${OPERATOR}`,
  })
  @OperatorOnly()
  @ApiOkResponse({ type: IdentityProviderResponse })
  @Throws(
    SingleSignOnErrors.identity_provider_not_found,
    SingleSignOnErrors.identity_provider_read_only,
    SingleSignOnErrors.identity_provider_issuer_refused,
    SecretErrors.secrets_key_missing,
  )
  async update(
    @Req() { id }: AuthenticatedRequest,
    @Param() { identity_provider: slug }: IdentityProviderPath,
    @Body() body: UpdateIdentityProviderRequest,
  ): Promise<IdentityProviderResponse> {
    return toResponse(await this.providers.update(id, slug, toProviderChange(body)));
  }

  @Delete(':identity_provider')
  @ApiOperation({
    summary: 'Delete an identity provider.',
    description: `Identities that are linked to it and sessions that began with it end; users and memberships stay. 409 \`identity_provider_read_only\` for the one of the environment. ${OPERATOR}`,
  })
  @OperatorOnly()
  @ApiOkResponse({ type: IdentityProviderDeletedResponse })
  @Throws(SingleSignOnErrors.identity_provider_not_found, SingleSignOnErrors.identity_provider_read_only)
  async delete(
    @Req() { id }: AuthenticatedRequest,
    @Param() { identity_provider: slug }: IdentityProviderPath,
  ): Promise<IdentityProviderDeletedResponse> {
    await this.providers.delete(id, slug);
    this.authenticator.forget();
    return { success: true };
  }
}

const toResponse = (provider: Parameters<typeof toProviderBody>[0]): IdentityProviderResponse => ({
  success: true,
  identity_provider: toProviderBody(provider),
});
