import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { TraceErrors } from '../shared/traces.errors.js';
import {
  EndUserPath,
  EndUserResponse,
  EndUsersResponse,
  ListEndUsersQuery,
  toEndUserResponse,
  toEndUsersAsked,
  toEndUsersResponse,
} from './end-users.dto.js';
import { EndUsersService } from './end-users.service.js';

@ApiTags('Sessions and users')
@Controller('api/public/v2/users')
export class EndUsersController {
  constructor(private readonly users: EndUsersService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'List the users of your applications with the most calls.',
    description:
      'Users are the `user_id` in the metadata of request logs. The numbers of a listed user are exact. A user is found who is one of the 200 ' +
      'most frequent values of any kind in some hour.',
  })
  @ApiOkResponse({ type: EndUsersResponse })
  @Throws(PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListEndUsersQuery): Promise<EndUsersResponse> {
    return toEndUsersResponse(query, await this.users.list(caller, toEndUsersAsked(query)));
  }

  @EndsWithClient()
  @Get(':end_user_id')
  @ApiOperation({
    summary: 'Read the totals of a user of your applications.',
    description: '404 `end_user_not_found`: no request log and no session of this workspace names the user.',
  })
  @ApiOkResponse({ type: EndUserResponse })
  @Throws(TraceErrors.end_user_not_found, PlatformErrors.reading_timeout, PlatformErrors.reading_busy)
  async get(@CurrentCaller() caller: Caller, @Param() path: EndUserPath): Promise<EndUserResponse> {
    return toEndUserResponse(await this.users.get(caller, path.end_user_id));
  }
}
