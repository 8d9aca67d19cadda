import { Controller, Get, Param, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../access/index.js';
import { streamJson } from '../platform/http/json-stream.js';
import { Throws } from '../platform/http/throws.js';
import { RequestPath, RequestResponse, toRequestResponse } from './requests.dto.js';
import { RequestErrors } from './shared/requests.errors.js';
import { RequestsService } from './requests.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests')
export class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get(':request_id')
  @ApiOperation({
    summary: 'Read a request log: input, output, tokens and cost of a model call.',
    description:
      'A log can be read as soon as the request that logged it is answered. 404 `request_not_found`: the log does not exist in this workspace, or was deleted.',
  })
  @ApiOkResponse({ type: RequestResponse })
  @Throws(RequestErrors.request_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: RequestPath): Promise<StreamableFile> {
    return readLog(this.requests, caller, path);
  }
}

/** The path that older clients read a log by. */
@ApiTags('Request logs')
@Controller('api/public/v2/request')
export class LegacyRequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get(':request_id')
  @ApiOperation({
    summary: 'The same as /api/public/v2/requests/{request_id}, for older clients.',
    description: 'New clients should use `GET /api/public/v2/requests/{request_id}`, which has the same response.',
  })
  @ApiOkResponse({ type: RequestResponse })
  @Throws(RequestErrors.request_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: RequestPath): Promise<StreamableFile> {
    return readLog(this.requests, caller, path);
  }
}

async function readLog(requests: RequestsService, caller: Caller, path: RequestPath): Promise<StreamableFile> {
  return streamJson(await requests.read(caller, path.request_id, (log) => JSON.stringify(toRequestResponse(log))));
}
