import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { clientGone } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  PreviewColumnRequest,
  PreviewColumnResponse,
  toPreviewInput,
  toPreviewResponse,
} from './column-previews.dto.js';
import { PreviewErrors } from './column-previews.errors.js';
import { ColumnPreviewsService } from './column-previews.service.js';

@ApiTags('Columns')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/columns/preview')
export class ColumnPreviewsController {
  constructor(private readonly previews: ColumnPreviewsService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Try a column on up to three rows without adding it.',
    description:
      'Computes the cells as they would be computed in the sheet, and answers with them and an estimate for all rows. The sheet does not change. Models and services are really called: calls of models are logged with the origin `trial`, and their results are reused when the column is added. A cell that fails or takes longer than a minute has an error; the answer is still 200. 429 `previews_exceeded`: too many columns are being tried in the workspace.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: PreviewColumnResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_type_not_creatable,
    GridErrors.column_config_invalid,
    GridErrors.column_reference_unknown,
    GridErrors.column_reference_ambiguous,
    GridErrors.row_not_found,
    PreviewErrors.column_not_previewable,
    PreviewErrors.previews_exceeded,
    PreviewErrors.preview_stopped,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: PreviewColumnRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PreviewColumnResponse> {
    const gone = clientGone(reply);
    return toPreviewResponse(await this.previews.preview(caller, path, toPreviewInput(body), gone));
  }
}
