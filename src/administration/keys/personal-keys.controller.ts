import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../platform/http/throws.js';
import {
  ApiKeyResponse,
  ApiKeysResponse,
  IssuedKeyResponse,
  OwnKeyPath,
  PersonalKeyRequest,
  toApiKeyBody,
  toIssuedKeyResponse,
} from '../shared/administration.dto.js';
import { AccessErrors, Authenticator, type Caller, CurrentCaller, readNetworks } from '../../access/index.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { readExpiry } from '../shared/key-expiry.js';
import { PersonalKeys } from './personal-keys.service.js';

@ApiTags('People')
@Controller('api/public/v2/me/api-keys')
export class PersonalKeysController {
  constructor(
    private readonly keys: PersonalKeys,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List your own API keys.',
    description: 'The personal keys of the user in this workspace, newest first. A service key has none.',
  })
  @ApiOkResponse({ type: ApiKeysResponse })
  async list(@CurrentCaller() caller: Caller): Promise<ApiKeysResponse> {
    return { success: true, api_keys: (await this.keys.list(caller)).map(toApiKeyBody) };
  }

  @Post()
  @ApiOperation({
    summary: 'Create an API key of your own.',
    description:
      'For a user who has signed in to the console: 403 `user_required` for every API key. The response contains the key itself, which cannot be read again. The key may do what its roles allow, but never more than the user may do at that moment, and it ends with the membership.',
  })
  @ApiCreatedResponse({ type: IssuedKeyResponse })
  @Throws(AdministrationErrors.user_required, AccessErrors.permission_missing)
  async create(@CurrentCaller() caller: Caller, @Body() body: PersonalKeyRequest): Promise<IssuedKeyResponse> {
    const { name = null, roles = caller.roles } = body;
    const limits = {
      expiresAt: readExpiry(body.expires_at),
      allowedNetworks: readNetworks(body.allowed_networks ?? []),
    };
    return toIssuedKeyResponse(await this.keys.create(caller, { name, roles: [...new Set(roles)], ...limits }));
  }

  @Delete(':key_id')
  @ApiOperation({
    summary: 'Revoke an API key of your own.',
    description: 'Works at once (within two seconds in other processes). A second call changes nothing.',
  })
  @ApiOkResponse({ type: ApiKeyResponse })
  @Throws(AdministrationErrors.api_key_not_found)
  async revoke(@CurrentCaller() caller: Caller, @Param() { key_id: id }: OwnKeyPath): Promise<ApiKeyResponse> {
    const key = await this.keys.revoke(caller, id);
    this.authenticator.forget();
    return { success: true, api_key: toApiKeyBody(key) };
  }
}
