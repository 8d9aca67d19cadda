import { Body, Controller, Get, HttpCode, Param, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import {
  CreateErasureRequest,
  ErasurePath,
  ErasureResponse,
  ErasuresResponse,
  ListErasuresQuery,
  toErasureBody,
  toSubject,
} from './erasures.dto.js';
import { ErasureErrors } from './erasures.errors.js';
import { ErasuresService } from './erasures.service.js';

@ApiTags('Erasure')
@Controller('api/admin/v1/workspaces/:workspace_id/erasures')
export class ErasuresController {
  constructor(
    private readonly erasures: ErasuresService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @IdempotentPost()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Erase everything about a user, a session or a metadata pair, or count it.',
    description:
      'Traces, request logs, what was made of them in sheets and datasets, files of exports, events, receipts, kept results and the ' +
      'index of search. It cannot be undone. A worker does it; read the erasure until it has ended. Whoever asks for the same while ' +
      'it is under way gets the one that is. What arrives after it has ended is not erased. A dry run takes the same steps and counts ' +
      'what each of them would erase.\n\n' +
      'Traces and request logs are found by their metadata. Anywhere else a text names a user or a session when it contains the id as a ' +
      'whole word, in exactly these letters: at the beginning or end of the text, or beside a character that is no letter, digit or `_` ' +
      'of an alphabet. A `.`, `@`, `+` or `-` between two of those belongs to the word, so `anna.berg` is not found in ' +
      '`anna.berg@example.com`, but in `Ask anna.berg.`, `(anna.berg)` and `user_id=anna.berg`. Chinese, Japanese, Korean and Thai ' +
      'characters beside an id are no part of it. Ids are found in JSON inside of texts and in addresses, too. An id of fewer than ' +
      'eight characters (Chinese, Japanese and Korean ones count twice) has to stand behind a key such as `user_id`: `user_id=7`, ' +
      '`"user_id": "7"`. A pair of metadata always has to stand as key and value.',
  })
  @OperatorToo('ADMIN')
  @ApiAcceptedResponse({ type: ErasureResponse })
  @Throws(AccessErrors.workspace_not_found, SecretErrors.secrets_key_missing)
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: CreateErasureRequest,
  ): Promise<ErasureResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const erasure = await this.erasures.create(caller, toSubject(body), body.dry_run ?? false);
    return { success: true, erasure: toErasureBody(erasure) };
  }

  @Get()
  @ApiOperation({
    summary: 'List the erasures of a workspace, newest first.',
    description:
      'Dry runs are included. Only the kind of subject is kept (a user, a session or a metadata pair), not its value.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ErasuresResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() { cursor, limit = 20, order = 'desc' }: ListErasuresQuery,
  ): Promise<ErasuresResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const rows = await this.erasures.list(caller, { cursor, limit, order });
    const page = toCreatedPage(rows, { cursor, limit, order });
    return { ...page, data: page.data.map(toErasureBody) };
  }

  @Get(':erasure_id')
  @ApiOperation({
    summary: 'Read the progress of an erasure.',
    description:
      'Repeat the request until `status` is `completed` or `failed`. `verified_at` is set once a final search found nothing left.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: ErasureResponse })
  @Throws(AccessErrors.workspace_not_found, ErasureErrors.erasure_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: ErasurePath): Promise<ErasureResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return { success: true, erasure: toErasureBody(await this.erasures.get(caller, path.erasure_id.toLowerCase())) };
  }
}
