import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { FilterErrors } from '../platform/filters/errors.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { EndsWithClient } from '../platform/http/ends-with-client.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { GridErrors } from '../grid/shared/grid.errors.js';
import {
  FewShotQuery,
  FewShotResponse,
  ReviewAgreementResponse,
  toAgreementResponse,
  toFewShotResponse,
} from './agreement.dto.js';
import { AgreementService } from './agreement.service.js';
import { FewShotService } from './few-shot.service.js';
import { ReviewItemsService } from './review-items.service.js';
import { ReviewQueuesService } from './review-queues.service.js';
import {
  AddReviewItemsRequest,
  AddReviewItemsResponse,
  CreateReviewQueueRequest,
  DeleteReviewQueueResponse,
  ListReviewQueuesQuery,
  ReviewQueuePath,
  ReviewQueueResponse,
  ReviewQueuesResponse,
  toNewQueue,
  toQueueBody,
  toQueueChange,
  toQueueResponse,
  toSelection,
  UpdateReviewQueueRequest,
} from './reviews.dto.js';
import { ReviewErrors } from './reviews.errors.js';

@ApiTags('Reviews')
@Controller('api/public/v2/review-queues')
export class ReviewQueuesController {
  constructor(
    private readonly queues: ReviewQueuesService,
    private readonly items: ReviewItemsService,
    private readonly agreement: AgreementService,
    private readonly fewShot: FewShotService,
  ) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Create a queue of items for people to review.',
    description:
      'The queue has one question (`rubric`) or several (`questions`), and no items yet. Its subject and sheet never change.',
  })
  @Can('TABLE_CREATE')
  @ApiCreatedResponse({ type: ReviewQueueResponse })
  @Throws(ReviewErrors.review_sheet_not_found, ReviewErrors.review_queue_inconsistent, GridErrors.column_not_found)
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateReviewQueueRequest): Promise<ReviewQueueResponse> {
    return toQueueResponse(await this.queues.create(caller, toNewQueue(body)));
  }

  @Get()
  @ApiOperation({
    summary: 'List the review queues of the workspace, newest first.',
    description: 'Open and closed queues with the numbers of their items.',
  })
  @ApiOkResponse({ type: ReviewQueuesResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { cursor, limit = 20, order = 'desc' }: ListReviewQueuesQuery,
  ): Promise<ReviewQueuesResponse> {
    const queues = await this.queues.list(caller, { cursor, limit, order });
    const page = toCreatedPage(queues, { cursor, limit, order });
    return { ...page, data: page.data.map(toQueueBody) };
  }

  @Get(':review_queue_id')
  @ApiOperation({
    summary: 'Read a review queue.',
    description: 'The queue with the numbers of its items, and how many of them are left for you.',
  })
  @ApiOkResponse({ type: ReviewQueueResponse })
  @Throws(ReviewErrors.review_queue_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ReviewQueuePath): Promise<ReviewQueueResponse> {
    return toQueueResponse(await this.queues.get(caller, path.review_queue_id.toLowerCase()));
  }

  @Patch(':review_queue_id')
  @ApiOperation({
    summary: 'Rename, close or open a review queue, or change its questions.',
    description:
      'Fields that are left out stay as they are. 409 `review_rubric_fixed` as soon as something is answered.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: ReviewQueueResponse })
  @Throws(
    ReviewErrors.review_queue_not_found,
    ReviewErrors.review_rubric_fixed,
    ReviewErrors.review_queue_inconsistent,
    GridErrors.column_not_found,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewQueuePath,
    @Body() body: UpdateReviewQueueRequest,
  ): Promise<ReviewQueueResponse> {
    return toQueueResponse(await this.queues.update(caller, path.review_queue_id.toLowerCase(), toQueueChange(body)));
  }

  @Delete(':review_queue_id')
  @ApiOperation({
    summary: 'Delete a review queue with all answers.',
    description: 'Results that were written into cells and scores stay. It cannot be undone.',
  })
  @Can('TABLE_DELETE')
  @ApiOkResponse({ type: DeleteReviewQueueResponse })
  @Throws(ReviewErrors.review_queue_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: ReviewQueuePath): Promise<DeleteReviewQueueResponse> {
    await this.queues.delete(caller, path.review_queue_id.toLowerCase());
    return { success: true };
  }

  @IdempotentPost(':review_queue_id/items')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Add rows, requests or traces to a review queue.',
    description:
      'By ids, by a search, or where judges disagree. An item that the queue has already is not added again. A queue has at most 10,000 items: 400 `review_queue_full`, and nothing is added.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: AddReviewItemsResponse })
  @Throws(
    ReviewErrors.review_queue_not_found,
    ReviewErrors.review_queue_closed,
    ReviewErrors.review_selection_invalid,
    ReviewErrors.review_sheet_not_found,
    ReviewErrors.review_queue_full,
    FilterErrors.filter_invalid,
    GridErrors.column_not_found,
    GridErrors.column_reference_ambiguous,
  )
  async add(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewQueuePath,
    @Body() body: AddReviewItemsRequest,
  ): Promise<AddReviewItemsResponse> {
    const { added, known } = await this.items.add(caller, path.review_queue_id.toLowerCase(), toSelection(body));
    return { success: true, added_count: added, known_count: known };
  }

  @EndsWithClient()
  @Get(':review_queue_id/agreement')
  @ApiOperation({
    summary: 'Read how far reviewers agree with each other, and judges with them.',
    description:
      'For each question, over items that all of their reviewers have answered. Every version of the judge is compared with the results: its values are those that were up to date before its settings changed.',
  })
  @ApiOkResponse({ type: ReviewAgreementResponse })
  @Throws(ReviewErrors.review_queue_not_found)
  async readAgreement(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewQueuePath,
  ): Promise<ReviewAgreementResponse> {
    return toAgreementResponse(await this.agreement.get(caller, path.review_queue_id.toLowerCase()));
  }

  @EndsWithClient()
  @Get(':review_queue_id/few-shot')
  @ApiOperation({
    summary: 'Read examples for a judge, made of finished items.',
    description:
      'For the first or a chosen question. Every answer in turn, so that rare ones are among them, and a prompt with them. Queues of traces have no examples.',
  })
  @ApiOkResponse({ type: FewShotResponse })
  @Throws(
    ReviewErrors.review_queue_not_found,
    ReviewErrors.review_queue_inconsistent,
    ReviewErrors.review_question_unknown,
    GridErrors.column_not_found,
  )
  async readFewShot(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewQueuePath,
    @Query() { column_id: columnId, question, example_count: limit = 8 }: FewShotQuery,
  ): Promise<FewShotResponse> {
    const asked = { columnId: columnId ?? null, question: question ?? null, limit };
    return toFewShotResponse(await this.fewShot.get(caller, path.review_queue_id.toLowerCase(), asked));
  }
}
