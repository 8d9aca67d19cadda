import { Body, Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { toPage } from '../platform/http/list.js';
import { Throws } from '../platform/http/throws.js';
import { ReviewAnswersService } from './review-answers.service.js';
import {
  AnsweredItemResponse,
  DecideReviewItemRequest,
  ListReviewItemsQuery,
  NextReviewItemResponse,
  ReviewAnswerRequest,
  ReviewItemPath,
  ReviewItemResponse,
  ReviewItemsResponse,
  toAnsweredResponse,
  toGivenValues,
  toItemBody,
  toNewAnswer,
} from './review-items.dto.js';
import { itemOrder, ReviewItemsService } from './review-items.service.js';
import { reviewerOf } from './reviewer.js';
import { ReviewQueuePath } from './reviews.dto.js';
import { ReviewErrors } from './reviews.errors.js';

const OF_OPEN_ITEM = [
  ReviewErrors.review_queue_not_found,
  ReviewErrors.review_item_not_found,
  ReviewErrors.review_queue_closed,
  ReviewErrors.review_item_gone,
];

const OF_ANSWER = [
  ReviewErrors.review_answer_unfit,
  ReviewErrors.review_answers_ambiguous,
  ReviewErrors.review_question_unknown,
];

@ApiTags('Reviews')
@Controller('api/public/v2/review-queues/:review_queue_id')
export class ReviewItemsController {
  constructor(
    private readonly items: ReviewItemsService,
    private readonly answers: ReviewAnswersService,
  ) {}

  @Get('items')
  @ApiOperation({
    summary: 'List the items of a review queue.',
    description:
      'In the order in which they were added. Answers of others are shown on items that you have answered or that take no more answers.',
  })
  @ApiOkResponse({ type: ReviewItemsResponse })
  @Throws(ReviewErrors.review_queue_not_found, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewQueuePath,
    @Query() query: ListReviewItemsQuery,
  ): Promise<ReviewItemsResponse> {
    const { cursor, limit = 20, order = 'asc', state, differs } = query;
    const [queueId, filters] = [path.review_queue_id.toLowerCase(), { state, differs }];
    const items = await this.items.list(caller, queueId, filters, { cursor, limit, order });
    const list = itemOrder(queueId, order, filters);
    const page = toPage(items, { cursor, limit }, list, ({ ordinal }) => [ordinal]);
    return { ...page, data: page.data.map((item) => toItemBody(item, reviewerOf(caller))) };
  }

  @Get('items/:review_item_id')
  @ApiOperation({
    summary: 'Read an item of a review queue.',
    description: 'Reading leases nothing. Answers of others are shown as in the list.',
  })
  @ApiOkResponse({ type: ReviewItemResponse })
  @Throws(ReviewErrors.review_queue_not_found, ReviewErrors.review_item_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ReviewItemPath): Promise<ReviewItemResponse> {
    const item = await this.items.get(caller, ...idsOf(path));
    return { success: true, item: toItemBody(item, reviewerOf(caller)) };
  }

  @IdempotentPost('next')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Take the next item of a review queue.',
    description:
      'Keeps an item for you for five minutes: nobody else gets it meanwhile, and you get it again until you answer or skip it. Items that you have answered do not come again, and skipped ones come last.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: NextReviewItemResponse })
  @Throws(ReviewErrors.review_queue_not_found, ReviewErrors.review_queue_closed)
  async next(@CurrentCaller() caller: Caller, @Param() path: ReviewQueuePath): Promise<NextReviewItemResponse> {
    const item = await this.answers.next(caller, path.review_queue_id.toLowerCase());
    return { success: true, item: item && toItemBody(item, reviewerOf(caller)) };
  }

  @IdempotentPost('items/:review_item_id/answer')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Answer an item of a review queue, or replace your answer.',
    description:
      'Gives the item back. It works without a lease as long as enough answers are free: 409 `review_item_finished` or `review_item_leased`. The same answer again changes nothing. All questions of a queue are answered at once. The last answer that is needed finds the results and writes them into the columns or scores of the questions.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: AnsweredItemResponse })
  @Throws(
    ...OF_OPEN_ITEM,
    ...OF_ANSWER,
    ReviewErrors.review_answers_incomplete,
    ReviewErrors.review_item_finished,
    ReviewErrors.review_item_leased,
    ReviewErrors.review_item_decided,
  )
  async answer(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewItemPath,
    @Body() body: ReviewAnswerRequest,
  ): Promise<AnsweredItemResponse> {
    const answered = await this.answers.answer(caller, ...idsOf(path), toNewAnswer(body));
    return toAnsweredResponse(answered, reviewerOf(caller));
  }

  @Delete('items/:review_item_id/answer')
  @ApiOperation({
    summary: 'Withdraw your answer to an item of a review queue.',
    description: 'The item is open again, and its result is taken back. A skip is withdrawn as well.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: AnsweredItemResponse })
  @Throws(...OF_OPEN_ITEM, ReviewErrors.review_answer_not_found, ReviewErrors.review_item_decided)
  async withdraw(@CurrentCaller() caller: Caller, @Param() path: ReviewItemPath): Promise<AnsweredItemResponse> {
    return toAnsweredResponse(await this.answers.withdraw(caller, ...idsOf(path)), reviewerOf(caller));
  }

  @IdempotentPost('items/:review_item_id/skip')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Give an item of a review queue back without an answer.',
    description: 'Others can take it at once; you get it again after all other items.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: AnsweredItemResponse })
  @Throws(...OF_OPEN_ITEM)
  async skip(@CurrentCaller() caller: Caller, @Param() path: ReviewItemPath): Promise<AnsweredItemResponse> {
    return toAnsweredResponse(await this.answers.skip(caller, ...idsOf(path)), reviewerOf(caller));
  }

  @IdempotentPost('items/:review_item_id/decide')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Decide about an item whose reviewers disagree.',
    description:
      'Sets the results of questions about which they disagree; the answers stay as they are. It can be decided again.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: AnsweredItemResponse })
  @Throws(...OF_OPEN_ITEM, ...OF_ANSWER, ReviewErrors.review_item_undecidable)
  async decide(
    @CurrentCaller() caller: Caller,
    @Param() path: ReviewItemPath,
    @Body() body: DecideReviewItemRequest,
  ): Promise<AnsweredItemResponse> {
    const decided = await this.answers.decide(caller, ...idsOf(path), toGivenValues(body));
    return toAnsweredResponse(decided, reviewerOf(caller));
  }
}

const idsOf = (path: ReviewItemPath): [queueId: string, id: string] => [
  path.review_queue_id.toLowerCase(),
  path.review_item_id.toLowerCase(),
];
