import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import {
  AccessErrors,
  type AuthenticatedRequest,
  type Caller,
  INSTALLATION,
  OperatorOnly,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { AuditEntriesResponse, ListAuditEntriesQuery, toAuditEntryBody, toAuditFilters } from './audit-entries.dto.js';
import { AuditEntriesService, auditOrder } from './audit-entries.service.js';

@ApiTags('Administration')
@Controller('api/admin/v1')
export class AuditEntriesController {
  constructor(
    private readonly entries: AuditEntriesService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get('workspaces/:workspace_id/audit-entries')
  @ApiOperation({
    summary: 'List the audit trail of a workspace, newest first: who changed or deleted what.',
    description:
      'Every deletion writes an entry, and so does every change of keys, settings, limits, prices, webhooks and labels. Entries cannot be changed or deleted.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: AuditEntriesResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() query: ListAuditEntriesQuery,
  ): Promise<AuditEntriesResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return this.page(caller, query);
  }

  @Get('audit-entries')
  @ApiOperation({
    summary:
      'List the audit trail of the installation, newest first: people, sign-ins, identity providers, workspaces.',
    description:
      'Entries about what belongs to no workspace, with the filters of the audit trail of a workspace. `user_id` finds entries about a user, such as sign-ins; `key_id` finds none. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: AuditEntriesResponse })
  @Throws(PlatformErrors.cursor_invalid)
  listOfInstallation(@Query() query: ListAuditEntriesQuery): Promise<AuditEntriesResponse> {
    return this.page({ workspaceId: INSTALLATION }, query);
  }

  private async page(where: Pick<Caller, 'workspaceId'>, query: ListAuditEntriesQuery): Promise<AuditEntriesResponse> {
    const { cursor, limit = 20, order = 'desc' } = query;
    const filters = toAuditFilters(query);
    const entries = await this.entries.list(where, filters, { cursor, limit, order });
    const page = toPage(entries, { limit, cursor }, auditOrder(order, filters), ({ id }) => [Number(id)]);
    return { ...page, data: page.data.map(toAuditEntryBody) };
  }
}
