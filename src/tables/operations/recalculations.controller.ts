import { Body, Controller, Delete, HttpCode, Param, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { withoutNoise } from '../../platform/numbers.js';
import { Throws } from '../../platform/http/throws.js';
import { CellPath } from '../cells/cells.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { TableErrors } from '../shared/tables.errors.js';
import { OperationPath, operationUrl } from './operations.dto.js';
import { CELL_STATES, type CellSelection, type CellState, type NamedCells } from '../../grid/computing/select-cells.js';
import { RecalculationService, type UnconfirmedRecalculation } from './recalculation.service.js';
import { RunPlansService } from './run-plans.service.js';
import {
  CancelOperationResponse,
  ConfirmationResponse,
  CreateOperationRequest,
  NothingQueuedResponse,
  NothingToRecalculateResponse,
  OperationPlanResponse,
  QueuedOperationResponse,
  RecalculateCellRequest,
  RecalculateCellResponse,
  RecalculateCellsRequest,
  RecalculateCellsResponse,
  toPlanResponse,
} from './recalculations.dto.js';

const NOTHING = { success: true, cell_count: 0 } as const;
const NOTHING_TO_DO = { ...NOTHING, message: 'There is nothing to recalculate.' } as const;

@ApiTags('Computation')
@ApiExtraModels(NothingQueuedResponse, ConfirmationResponse, OperationPlanResponse)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id')
export class RecalculationsController {
  constructor(
    private readonly recalculations: RecalculationService,
    private readonly plans: RunPlansService,
  ) {}

  @IdempotentPost('operations')
  @ApiOperation({
    summary: 'Recalculate cells, by default all stale cells.',
    description:
      '202 means that the cells are queued, and the answer has the id of the operation. 200 means that nothing was queued: there is nothing to do, ' +
      'the operation is so large that it needs a confirmation (send the same request with the `confirmation_token`), or `dry_run` asked for an estimate.',
  })
  @HttpCode(200)
  @Can('TABLE_EDIT')
  @RefuseInvalidWith400()
  @ApiAcceptedResponse({ type: QueuedOperationResponse })
  @ApiOkResponse({
    schema: {
      oneOf: [NothingQueuedResponse, ConfirmationResponse, OperationPlanResponse].map((answer) => ({
        $ref: getSchemaPath(answer),
      })),
    },
  })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_not_found,
    GridErrors.column_not_computed,
    TableErrors.cell_state_unknown,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: CreateOperationRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueuedOperationResponse | NothingQueuedResponse | ConfirmationResponse | OperationPlanResponse> {
    const selection = toSelection(body);
    if (body.dry_run) return toPlanResponse(await this.plans.plan(caller, path, selection));
    const { force, reuse, max_cost: maxCost = null, confirmation_token: token } = body;
    const options = { isForced: force ?? false, asksAgain: !reuse, maxCost };
    const result = await this.recalculations.start(caller, path, { selection, options, token });
    if (result.kind === 'nothing') return { ...NOTHING, virtual_cell_count: 0, cells: [] };
    if (result.kind === 'unconfirmed') return askForConfirmation(result);
    void reply.status(202);
    const { executionId, cellCount } = result.queued;
    return {
      success: true,
      operation: 'recalculate',
      operation_id: executionId,
      execution_id: executionId,
      execution_ids: [executionId],
      cell_count: cellCount,
      version: result.version,
      status_url: operationUrl(path, executionId),
      virtual_cell_count: 0,
      cells: [],
    };
  }

  @Delete('operations/:operation_id')
  @ApiOperation({
    summary: 'Cancel an operation.',
    description:
      'Takes back cells that were not computed yet, and ends the calls under way. Results that are stored stay. An unknown or ended operation is answered with zeros and not with 404.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: CancelOperationResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async cancel(@CurrentCaller() caller: Caller, @Param() path: OperationPath): Promise<CancelOperationResponse> {
    const { notStarted, running, interruptedCost, cost } = await this.recalculations.cancel(
      caller,
      path,
      path.operation_id,
    );
    const cancelled = notStarted + running;
    return {
      success: true,
      message: cancelled > 0 ? `${cancelled} cells were taken back.` : 'The operation was not active.',
      operation_id: path.operation_id,
      execution_ids: cancelled > 0 ? [path.operation_id] : [],
      cancelled_cell_count: cancelled,
      not_started_reset_count: notStarted,
      running_invalidated_count: running,
      interrupted_cost: withoutNoise(interruptedCost),
      cost: cost === null ? null : withoutNoise(cost),
    };
  }

  @IdempotentPost('cells/recalculations')
  @ApiOperation({
    summary: 'Recalculate some cells, whatever their state.',
    description:
      'The cells are those in `cell_ids`, and all cells of `column_ids` in the rows of `row_indices`. Returns 202 with an operation, or 200 with `cell_count: 0` when there is nothing to do. 404 when one of the cells or columns does not exist.',
  })
  @HttpCode(202)
  @Can('TABLE_EDIT')
  @ApiAcceptedResponse({ type: RecalculateCellsResponse })
  @ApiOkResponse({ type: NothingToRecalculateResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.cell_not_found,
    GridErrors.column_not_found,
    TableErrors.cell_ids_missing,
  )
  async cells(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: RecalculateCellsRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecalculateCellsResponse | NothingToRecalculateResponse> {
    const result = await this.recalculations.startCells(caller, path, toNamedCells(body), body.force ?? true);
    if (result.kind !== 'queued') return nothingToDo(reply);
    const { executionId, cellCount } = result.queued;
    return { success: true, execution_id: executionId, cell_count: cellCount, selected_cell_count: result.selected };
  }

  @IdempotentPost('cells/:cell_id/recalculations')
  @ApiOperation({
    summary: 'Recalculate a cell, whatever its state.',
    description:
      'Queues the cell and whatever stale cells it reads, and returns 202 with an operation. 200 with `cell_count: 0` means that there is nothing to do: the cell is not computed, or is queued already.',
  })
  @HttpCode(202)
  @Can('TABLE_EDIT')
  @ApiAcceptedResponse({ type: RecalculateCellResponse })
  @ApiOkResponse({ type: NothingToRecalculateResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, GridErrors.cell_not_found)
  async cell(
    @CurrentCaller() caller: Caller,
    @Param() path: CellPath,
    @Body() body: RecalculateCellRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecalculateCellResponse | NothingToRecalculateResponse> {
    const named = { cellIds: [path.cell_id], columnIds: [], rows: [] };
    const result = await this.recalculations.startCells(caller, path, named, body.force ?? true);
    if (result.kind !== 'queued') return nothingToDo(reply);
    return { success: true, execution_id: result.queued.executionId, cell_count: result.queued.cellCount };
  }
}

function nothingToDo(reply: FastifyReply): NothingToRecalculateResponse {
  void reply.status(200);
  return NOTHING_TO_DO;
}

function toSelection({ column_ids, row_ids, statuses }: CreateOperationRequest): CellSelection {
  const states = (statuses ?? ['STALE']).map((name) => {
    const state = name.toUpperCase() as CellState;
    if (!CELL_STATES.includes(state)) throw TableErrors.cell_state_unknown(name, CELL_STATES);
    return state;
  });
  return { columnIds: column_ids ?? null, rows: row_ids ?? null, states };
}

/** Columns alone or rows alone name no cells. Clients send them with `cell_ids`, so they are ignored then. */
function toNamedCells({ cell_ids, column_ids, row_indices }: RecalculateCellsRequest): NamedCells {
  const [columnIds, rows] = [column_ids ?? [], row_indices ?? []];
  const areBothGiven = columnIds.length > 0 && rows.length > 0;
  return { cellIds: cell_ids ?? [], columnIds: areBothGiven ? columnIds : [], rows: areBothGiven ? rows : [] };
}

function askForConfirmation({ token, cellCount }: UnconfirmedRecalculation): ConfirmationResponse {
  return {
    success: false,
    requires_confirmation: true,
    confirmation_token: token,
    affected_cell_count: cellCount,
    message: `This recalculates ${cellCount} cells. Send the request again with the confirmation token to go on.`,
  };
}
