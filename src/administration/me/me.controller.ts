import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { MeResponse, toMeResponse } from './me.dto.js';
import { MeService } from './me.service.js';

@ApiTags('Administration')
@Controller('api/public/v2/me')
export class MeController {
  constructor(private readonly me: MeService) {}

  @Get()
  @ApiOperation({
    summary: 'Read the workspace and the permissions of the API key.',
    description:
      'Works with any valid key. 401 means that the key is missing, unknown, revoked or expired, or is not accepted from this address.',
  })
  @ApiOkResponse({ type: MeResponse })
  async get(@CurrentCaller() caller: Caller): Promise<MeResponse> {
    return toMeResponse(await this.me.get(caller));
  }
}
