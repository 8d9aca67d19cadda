import { Body, Controller, Get, HttpCode, Param, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { MAX_ID } from '../../platform/http/fields.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { RunPlansService } from '../operations/run-plans.service.js';
import { OperationPlanResponse, toPlanResponse } from '../operations/recalculations.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import type { CalculationScope } from './calculation-plan.js';
import {
  CalculationPath,
  CalculationResponse,
  CalculationScopeRequest,
  CancelScorecardResponse,
  RecalculateScorecardRequest,
  RecalculateScorecardResponse,
} from './calculations.dto.js';
import {
  RowResultResponse,
  ScorecardRowPath,
  ScorecardRowQuery,
  ScorecardRowsQuery,
  ScorecardRowsResponse,
} from './scorecard-rows.dto.js';
import { CalculationsService, cellsToCalculate } from './calculations.service.js';
import { ComparisonQuery, ComparisonResponse, StepComparisonBody, toComparisonResponse } from './comparisons.dto.js';
import { ComparisonsService } from './comparisons.service.js';
import { toCalculationBody, toCriterionSummaries, toRowResult, toRowSummary } from './scorecard-response.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { toVerdicts } from './verdict-names.js';

const DEFAULT_LIMIT = 50;

@ApiTags('Scorecards')
@ApiExtraModels(StepComparisonBody)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/scorecard')
export class CalculationsController {
  constructor(
    private readonly calculations: CalculationsService,
    private readonly comparisons: ComparisonsService,
    private readonly plans: RunPlansService,
  ) {}

  @IdempotentPost('recalculate')
  @ApiOperation({
    summary: 'Calculate the scorecard of a sheet.',
    description:
      'Returns 202 at once; the `latest_calculation` of GET shows when it has completed. A calculation under way ends. Models are called again unless `reuse` allows known results. With `dry_run` nothing is calculated: the answer is 200 with an estimate, as for an operation.',
  })
  @HttpCode(202)
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiAcceptedResponse({ type: RecalculateScorecardResponse })
  @ApiOkResponse({ type: OperationPlanResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScorecardErrors.scorecard_not_configured,
    ScorecardErrors.scorecard_without_steps,
    ScorecardErrors.step_not_found,
  )
  async recalculate(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: RecalculateScorecardRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecalculateScorecardResponse | OperationPlanResponse> {
    if (body.dry_run) {
      void reply.status(200);
      return toPlanResponse(await this.plans.planCells(caller, path, cellsToCalculate(toScope(body))));
    }
    const wish = { ...toScope(body), asksAgain: !body.reuse };
    const { calculationId, version } = await this.calculations.start(caller, path, wish);
    return { success: true, calculation_id: calculationId, status: 'queued', version };
  }

  @IdempotentPost('cancel')
  @ApiOperation({
    summary: 'Cancel the calculation of a scorecard.',
    description:
      'Cancels the calculation under way as a whole. With rows or steps, only if it calculates one of them. Returns `calculation_id: null` when nothing was cancelled.',
  })
  @HttpCode(200)
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: CancelScorecardResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScorecardErrors.scorecard_not_configured,
    ScorecardErrors.step_not_found,
  )
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: CalculationScopeRequest,
  ): Promise<CancelScorecardResponse> {
    const { scorecard, cancelled } = await this.calculations.cancel(caller, path, toScope(body));
    const executionId = cancelled?.calculation.executionId;
    return {
      success: true,
      message: cancelled ? 'The calculation was cancelled.' : 'Nothing was being calculated.',
      scorecard: { id: scorecard.id },
      cancelled_count: cancelled?.cells ?? 0,
      execution_ids: executionId ? [executionId] : [],
      calculation_id: cancelled?.calculation.id ?? null,
    };
  }

  @Get('calculations/:calculation_id')
  @ApiOperation({
    summary: 'Read a calculation of a scorecard.',
    description:
      'Returns the state of the calculation and, once it has completed, the score with what every step found over all rows. The baseline, the 20 newest completed calculations and the 20 newest others are kept; older ones are answered with 404 `calculation_not_found`.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: CalculationResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, ScorecardErrors.calculation_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: CalculationPath): Promise<CalculationResponse> {
    const { calculation, status } = await this.calculations.get(caller, path, path.calculation_id);
    return {
      success: true,
      calculation: toCalculationBody(calculation, status),
      criterion_summaries: toCriterionSummaries(calculation),
      drift_summary: calculation.result?.drift ?? null,
    };
  }

  @EndsWithClient()
  @Get('calculations/:calculation_id/comparison')
  @ApiOperation({
    summary: 'Compare a calculation with another one, row by row.',
    description:
      'Returns for the whole and for every step whether the scores differ by more than chance, and whether the scorer was the same (`scorer_changed`). Both calculations have to be completed (400 `calculation_not_completed`). `with` may be a calculation of another sheet of the workspace, such as that of the next `evaluate()`: steps are the same when title and type are, and rows when all their inputs are, that is, the columns of text that both sheets have, without those that are judged (`Output`, `is_output_column`, `evaluated_column_ids`). When rows of both sheets differ in their inputs, the comparison is refused, unless `match_by` names the columns that identify rows: rows without a match then count as `unpaired`.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: ComparisonResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScorecardErrors.calculation_not_found,
    ScorecardErrors.calculation_not_completed,
    ScorecardErrors.calculation_is_first,
    ScorecardErrors.calculations_not_comparable,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async compare(
    @CurrentCaller() caller: Caller,
    @Param() path: CalculationPath,
    @Query() query: ComparisonQuery,
  ): Promise<ComparisonResponse> {
    const asked = { id: path.calculation_id, with: query.with ?? null, matchBy: query.match_by ?? null };
    return toComparisonResponse(await this.comparisons.compare(caller, path, asked));
  }

  @Get('rows')
  @ApiOperation({
    summary: 'List the results of a calculation by row.',
    description:
      'Lists the rows of the newest completed calculation, or of the one that is asked for, ascending by index, with their scores and verdicts. Before the first calculation the list is empty. Read the steps of a row by itself.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: ScorecardRowsResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScorecardErrors.calculation_not_found,
    ScorecardErrors.scorecard_invalid,
    ScorecardErrors.step_not_found,
    PlatformErrors.cursor_invalid,
  )
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ScorecardRowsQuery,
  ): Promise<ScorecardRowsResponse> {
    const { calculation_id: calculationId = null, cursor, limit = DEFAULT_LIMIT } = query;
    const after = toRow(cursor);
    const stepId = query.step_id?.toLowerCase() ?? null;
    const filter = { verdicts: toVerdicts(query.verdict), stepId, after, limit };
    const { calculation, rows, outdated, counts } = await this.calculations.list(caller, path, calculationId, filter);
    const page = rows.slice(0, limit);
    return {
      success: true,
      calculation_id: calculation?.id ?? null,
      rows: page.map((row) => toRowSummary(row, outdated.has(row.rowIndex))),
      next_cursor: rows.length > limit ? page.at(-1)!.rowIndex : null,
      verdict_counts: counts ?? {},
    };
  }

  @Get('rows/:row_index')
  @ApiOperation({
    summary: 'Read the results of a calculation in one row.',
    description:
      'Returns the verdict, the score, the computed value and the evidence of every step in one row. 404 when the calculation has no such row.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: RowResultResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScorecardErrors.calculation_not_found,
    ScorecardErrors.row_result_not_found,
  )
  async row(
    @CurrentCaller() caller: Caller,
    @Param() path: ScorecardRowPath,
    @Query() query: ScorecardRowQuery,
  ): Promise<RowResultResponse> {
    return toRowResult(await this.calculations.row(caller, path, path.row_index, query.calculation_id ?? null));
  }
}

function toScope({ row_indices, step_ids }: CalculationScopeRequest): CalculationScope {
  return { rows: row_indices ?? null, stepIds: step_ids ?? null };
}

/** null for the first page. Throws cursor_invalid. */
function toRow(cursor: string | undefined): number | null {
  if (cursor === undefined || cursor === '') return null;
  if (!/^\d{1,10}$/.test(cursor) || Number(cursor) > MAX_ID) throw PlatformErrors.cursor_invalid();
  return Number(cursor);
}
