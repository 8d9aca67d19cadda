import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { ListedProviders } from './listed-providers.js';
import { ModelProvidersResponse, toModelProviderBody } from './model-providers.dto.js';

@ApiTags('Model credentials')
@Controller('api/public/v2/model-providers')
export class ModelProvidersController {
  constructor(private readonly providers: ListedProviders) {}

  @Get()
  @ApiOperation({
    summary: 'List the model providers of this server, and which of them the workspace has credentials for.',
    description:
      'Secrets are not shown. Any other name of a provider stands for a server with the chat completions API of OpenAI; its credential needs a `base_url`.',
  })
  @ApiOkResponse({ type: ModelProvidersResponse })
  async list(@CurrentCaller() caller: Caller): Promise<ModelProvidersResponse> {
    return { success: true, model_providers: (await this.providers.list(caller)).map(toModelProviderBody) };
  }
}
