import { Body, Controller, Delete, Get, Param, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedRequest, OperatorOnly } from '../../access/index.js';
import { Throws } from '../../platform/http/throws.js';
import { ScimErrors } from '../shared/scim.errors.js';
import {
  CreatedScimTokenResponse,
  CreateScimTokenRequest,
  RevokedScimTokenResponse,
  ScimTokenPath,
  ScimTokensResponse,
  toScimTokenBody,
} from './scim-tokens.dto.js';
import { ScimTokens } from './scim-tokens.service.js';

@ApiTags('People')
@Controller('api/admin/v1/scim-tokens')
export class ScimTokensController {
  constructor(private readonly tokens: ScimTokens) {}

  @Get()
  @ApiOperation({
    summary: 'List the SCIM tokens of the installation.',
    description:
      'Oldest first, without pages and without their texts. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: ScimTokensResponse })
  async list(): Promise<ScimTokensResponse> {
    return { success: true, scim_tokens: (await this.tokens.list()).map(toScimTokenBody) };
  }

  @Post()
  @ApiOperation({
    summary: 'Create a SCIM token for an identity provider.',
    description:
      'With the token the provider creates, changes and removes all users and groups of the installation under `/scim/v2`. Its text is shown once. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiCreatedResponse({ type: CreatedScimTokenResponse })
  async create(
    @Req() { id }: AuthenticatedRequest,
    @Body() { name }: CreateScimTokenRequest,
  ): Promise<CreatedScimTokenResponse> {
    const { token, secret } = await this.tokens.create(id, name);
    return { success: true, scim_token: toScimTokenBody(token), secret };
  }

  @Delete(':scim_token_id')
  @ApiOperation({
    summary: 'Revoke a SCIM token.',
    description:
      'Works at once. Users and groups that were created with it stay. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: RevokedScimTokenResponse })
  @Throws(ScimErrors.scim_token_not_found)
  async revoke(
    @Req() request: AuthenticatedRequest,
    @Param() { scim_token_id: id }: ScimTokenPath,
  ): Promise<RevokedScimTokenResponse> {
    await this.tokens.revoke(request.id, id);
    return { success: true };
  }
}
