import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { ListSheetScoresQuery, SheetScoresResponse, toSheetScore } from './sheet-scores.dto.js';
import { sheetScoreOrder, SheetScoresService } from './sheet-scores.service.js';

@ApiTags('Scores')
@Controller('api/public/v2/sheet-scores')
export class SheetScoresController {
  constructor(private readonly scores: SheetScoresService) {}

  @Get()
  @ApiOperation({
    summary: 'List the newest score of every sheet in the workspace, last calculated first.',
    description:
      'Only scores that a calculation has stored are listed. Scores of evaluations are in `GET /api/public/v2/evaluations`.',
  })
  @ApiOkResponse({ type: SheetScoresResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { cursor, limit = 20, order = 'desc' }: ListSheetScoresQuery,
  ): Promise<SheetScoresResponse> {
    const rows = await this.scores.list(caller, { cursor, limit, order });
    const page = toPage(rows, { limit, cursor }, sheetScoreOrder(order), ({ calculatedAt, sheetId }) => [
      calculatedAt.toISOString(),
      sheetId,
    ]);
    return { ...page, data: page.data.map(toSheetScore) };
  }
}
