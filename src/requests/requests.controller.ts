import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../access/index.js';
import { Throws, Validates } from '../platform/http/throws.js';
import { RequestPath, RequestResponse, toRequestResponse } from './requests.dto.js';
import { RequestErrors } from './requests.errors.js';
import { RequestsService } from './requests.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests')
export class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get(':request_id')
  @ApiOperation({ summary: 'Read a call of a model: what went in, what came out, what it cost.' })
  @ApiOkResponse({ type: RequestResponse })
  @Validates()
  @Throws(RequestErrors.request_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: RequestPath): Promise<RequestResponse> {
    return toRequestResponse(await this.requests.get(caller, path.request_id));
  }
}

/** The path that older clients read a log by. */
@ApiTags('Request logs')
@Controller('api/public/v2/request')
export class LegacyRequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get(':request_id')
  @ApiOperation({ summary: 'The same as /api/public/v2/requests/{request_id}, for older clients.' })
  @ApiOkResponse({ type: RequestResponse })
  @Validates()
  @Throws(RequestErrors.request_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: RequestPath): Promise<RequestResponse> {
    return toRequestResponse(await this.requests.get(caller, path.request_id));
  }
}
