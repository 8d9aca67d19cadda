import { Body, Controller, Delete, Get, Param, Put, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { Throws } from '../../platform/http/throws.js';
import {
  ModelPriceDeletedResponse,
  ModelPriceQuery,
  ModelPriceRequest,
  ModelPriceResponse,
  ModelPricesResponse,
  toModelPriceBody,
  toPublicPricesBody,
  toRates,
} from './model-prices.dto.js';
import { ModelPriceErrors } from './model-prices.errors.js';
import { PriceFile } from './price-file.js';
import { ModelPricesService } from './model-prices.service.js';

@ApiTags('Model prices')
@Controller('api/admin/v1/workspaces/:workspace_id/model-prices')
export class ModelPricesController {
  constructor(
    private readonly prices: ModelPricesService,
    private readonly workspaces: WorkspacesService,
    private readonly file: PriceFile,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the model prices of a workspace.',
    description: 'These prices take precedence over public prices for calls that are logged from now on.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelPricesResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<ModelPricesResponse> {
    const prices = await this.prices.list(await this.workspaces.callerIn(request, path.workspace_id));
    return {
      success: true,
      public_prices: toPublicPricesBody(this.file.source),
      model_prices: prices.map(toModelPriceBody),
    };
  }

  @Put()
  @ApiOperation({
    summary: 'Set the price of a model for a workspace, for example one it hosts itself.',
    description:
      'The price is used for calls that are logged from now on and report no price of their own. Other processes of the server know it within seconds. Existing logs keep their price; those without one are priced by a repricing. A rate that is not given is removed.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelPriceResponse })
  @Throws(AccessErrors.workspace_not_found, ModelPriceErrors.model_prices_too_many)
  async set(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: ModelPriceRequest,
  ): Promise<ModelPriceResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { provider, model } = body;
    const price = await this.prices.set(caller, { provider, model }, toRates(body));
    return { success: true, model_price: toModelPriceBody(price) };
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete the price of a model for a workspace.',
    description:
      'Existing logs keep their price. Calls that are logged from now on get the public price, or none if there is none.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ModelPriceDeletedResponse })
  @Throws(AccessErrors.workspace_not_found, ModelPriceErrors.model_price_not_found)
  async delete(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() { provider, model }: ModelPriceQuery,
  ): Promise<ModelPriceDeletedResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.prices.delete(caller, { provider, model });
    return { success: true };
  }
}
