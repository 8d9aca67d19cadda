import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { KnownModelsQuery, KnownModelsResponse, toKnownModelBody } from './known-models.dto.js';
import { KnownModels } from './known-models.js';

const FEW = 100;

@ApiTags('Model prices')
@Controller('api/public/v2/models')
export class KnownModelsController {
  constructor(private readonly models: KnownModels) {}

  @Get()
  @ApiOperation({
    summary: 'List models that have a price.',
    description: 'Models that are not listed can be called as well; what they cost is not known until a price is set.',
  })
  @ApiOkResponse({ type: KnownModelsResponse })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { provider, q = '', limit = FEW }: KnownModelsQuery,
  ): Promise<KnownModelsResponse> {
    const found = await this.models.list(caller, { provider, part: q, limit });
    return { success: true, limit, models: found.map(toKnownModelBody) };
  }
}
