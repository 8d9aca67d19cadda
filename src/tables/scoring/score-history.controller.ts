import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  DEFAULT_POINTS,
  ScoreChanges,
  ScoreHistoryQuery,
  ScoreHistoryResponse,
  toScoreHistory,
} from './score-history.dto.js';
import { ScoresService } from './scores.service.js';

/** A separate route beside `versions/:version_id`: the static segment has precedence. */
@ApiTags('Scores')
@ApiExtraModels(ScoreChanges)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/versions/score-history')
export class ScoreHistoryController {
  constructor(private readonly scores: ScoresService) {}

  @Get()
  @ApiOperation({
    summary: 'Read the history of the score of a sheet.',
    description:
      'Returns a point for every version with a score, oldest first. A version gets its score from the calculation that scored it.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: ScoreHistoryResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async get(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ScoreHistoryQuery,
  ): Promise<ScoreHistoryResponse> {
    const { max_points: maxPoints = DEFAULT_POINTS, range = 'all', resolution = 'auto' } = query;
    const { sample, total } = await this.scores.history(caller, path, { maxPoints, range, resolution });
    return { success: true, score_history: toScoreHistory(sample, { total, range, maxPoints }) };
  }
}
