import { Body, Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import {
  ApproveLabelChangeRequest,
  CreateLabelChangeRequest,
  LabelChangePath,
  LabelChangeResponse,
  LabelChangesResponse,
  ListLabelChangesQuery,
  ReadLabelChangeResponse,
  RejectLabelChangeRequest,
  toChangeFilters,
  toLabelChangeBody,
  toNewLabelChange,
  toReadLabelChangeBody,
} from './label-changes.dto.js';
import { LabelChangeErrors } from './label-changes.errors.js';
import { changeOrder, type ShownLabelChange } from './label-changes.queries.js';
import { LabelChangesService } from './label-changes.service.js';
import { LabelDecisionsService } from './label-decisions.service.js';

/** Errors of both decisions. */
const DECISION_ERRORS = [
  LabelChangeErrors.label_change_not_found,
  LabelChangeErrors.approver_required,
  LabelChangeErrors.approver_is_asker,
  LabelChangeErrors.label_change_closed,
  LabelChangeErrors.label_change_outdated,
];

@ApiTags('Label changes')
@Controller('api/public/v2/label-changes')
export class LabelChangesController {
  constructor(
    private readonly changes: LabelChangesService,
    private readonly decisions: LabelDecisionsService,
  ) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Ask for the approval of a label change.',
    description:
      'For labels in `approval_labels` of the workspace, whose changes a second person approves. Needs the permission to change labels of the item, such as PROMPT_DEPLOY. Asking again for the same change returns the open request. The request expires after 7 days, and is outdated as soon as the label changes in another way. 409 `approval_not_needed`: change the label directly.',
  })
  @ApiCreatedResponse({ type: LabelChangeResponse })
  @Throws(
    AccessErrors.permission_missing,
    LabelChangeErrors.label_change_item_not_found,
    LabelChangeErrors.label_change_version_not_found,
    LabelChangeErrors.approval_not_needed,
    LabelChangeErrors.label_change_empty,
    LabelChangeErrors.label_change_exists,
    LabelChangeErrors.label_change_impossible,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateLabelChangeRequest): Promise<LabelChangeResponse> {
    return toResponse(await this.changes.ask(caller, toNewLabelChange(body)));
  }

  @Get()
  @ApiOperation({
    summary: 'List label changes, newest first.',
    description: 'Requests of the workspace in every state, with filters by state, item and label.',
  })
  @ApiOkResponse({ type: LabelChangesResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListLabelChangesQuery): Promise<LabelChangesResponse> {
    const { cursor, limit = 20, order = 'desc' } = query;
    const filters = toChangeFilters(query);
    const changes = await this.changes.list(caller, filters, { cursor, limit, order });
    const page = toPage(changes, { cursor, limit }, changeOrder(order, filters), ({ createdAt, id }) => [
      createdAt.toISOString(),
      id,
    ]);
    return { ...page, data: page.data.map(toLabelChangeBody) };
  }

  @Get(':label_change_id')
  @ApiOperation({
    summary: 'Read a label change.',
    description: 'The request with who asked and why, both versions, and the version that has the label now.',
  })
  @ApiOkResponse({ type: ReadLabelChangeResponse })
  @Throws(LabelChangeErrors.label_change_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: LabelChangePath): Promise<ReadLabelChangeResponse> {
    const change = await this.changes.get(caller, path.label_change_id);
    return { success: true, label_change: toReadLabelChangeBody(change) };
  }

  @IdempotentPost(':label_change_id/approve')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Approve a label change.',
    description:
      'Changes the label at once. Only a person can approve: a user in a session or with a personal key, other than the one who asked. 403 `approver_is_asker`: somebody else has to approve. 409 `label_change_outdated`: the label has changed since, the item is gone, the one who asked has left, or the request has expired; nothing was changed.',
  })
  @Can('PROTECTED_LABELS')
  @ApiOkResponse({ type: LabelChangeResponse })
  @Throws(...DECISION_ERRORS, LabelChangeErrors.label_change_impossible)
  async approve(
    @CurrentCaller() caller: Caller,
    @Param() path: LabelChangePath,
    @Body() { reason = null }: ApproveLabelChangeRequest,
  ): Promise<LabelChangeResponse> {
    return toResponse(await this.decisions.approve(caller, path.label_change_id, reason));
  }

  @IdempotentPost(':label_change_id/reject')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reject a label change.',
    description: 'Nothing changes but the request. Only a person other than the one who asked can reject it.',
  })
  @Can('PROTECTED_LABELS')
  @ApiOkResponse({ type: LabelChangeResponse })
  @Throws(...DECISION_ERRORS)
  async reject(
    @CurrentCaller() caller: Caller,
    @Param() path: LabelChangePath,
    @Body() { reason }: RejectLabelChangeRequest,
  ): Promise<LabelChangeResponse> {
    return toResponse(await this.decisions.reject(caller, path.label_change_id, reason));
  }

  @IdempotentPost(':label_change_id/cancel')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Cancel a label change that you have asked for.',
    description:
      'For the one who asked, with any key or session, and for the user who created the service key that asked. 403 `label_change_of_another`: an approver can reject it instead.',
  })
  @ApiOkResponse({ type: LabelChangeResponse })
  @Throws(
    LabelChangeErrors.label_change_not_found,
    LabelChangeErrors.label_change_of_another,
    LabelChangeErrors.label_change_closed,
    LabelChangeErrors.label_change_outdated,
  )
  async cancel(@CurrentCaller() caller: Caller, @Param() path: LabelChangePath): Promise<LabelChangeResponse> {
    return toResponse(await this.decisions.cancel(caller, path.label_change_id));
  }
}

const toResponse = (change: ShownLabelChange): LabelChangeResponse => ({
  success: true,
  label_change: toLabelChangeBody(change),
});
