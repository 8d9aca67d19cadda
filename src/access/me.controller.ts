import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from './caller.js';
import { MeResponse, toMeResponse } from './me.dto.js';
import { MeService } from './me.service.js';

@ApiTags('Administration')
@Controller('api/public/v2/me')
export class MeController {
  constructor(private readonly me: MeService) {}

  @Get()
  @ApiOperation({ summary: 'Tell which workspace a key belongs to and what it may do.' })
  @ApiOkResponse({ type: MeResponse })
  async get(@CurrentCaller() caller: Caller): Promise<MeResponse> {
    return toMeResponse(await this.me.get(caller));
  }
}
