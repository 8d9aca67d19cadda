import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { ReportPath } from '../reports/reports.dto.js';
import { RunComparisonQuery, RunComparisonResponse, toRunComparisonResponse } from './run-comparisons.dto.js';
import { RunComparisonsService } from './run-comparisons.service.js';

@ApiTags('Evaluations')
@Controller('reports/:report_id/comparison')
export class RunComparisonsController {
  constructor(private readonly comparisons: RunComparisonsService) {}

  @Get()
  @EndsWithClient()
  @ApiOperation({
    summary: 'Compare two runs over the same rows.',
    description:
      'Returns for every scored column whether the runs differ by more than chance, and the rows that changed. Code that scores a run is not used. Both runs have to be completed, over the same version of a dataset.',
  })
  @ApiOkResponse({ type: RunComparisonResponse })
  @Throws(
    EvaluationErrors.evaluation_not_found,
    EvaluationErrors.report_score_of_blueprint,
    EvaluationErrors.report_run_unfinished,
    EvaluationErrors.report_run_is_first,
    EvaluationErrors.report_rows_differ,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async compare(
    @CurrentCaller() caller: Caller,
    @Param() path: ReportPath,
    @Query() query: RunComparisonQuery,
  ): Promise<RunComparisonResponse> {
    const asked = { with: query.with ?? null, limit: query.max_changes ?? 100 };
    return toRunComparisonResponse(await this.comparisons.compare(caller, path.report_id, asked));
  }
}
