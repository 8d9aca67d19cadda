import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { toPage } from '../platform/http/list.js';
import { Throws, Validates } from '../platform/http/throws.js';
import { WorkspacePath } from './access.dto.js';
import { AccessErrors } from './access.errors.js';
import { Can, OperatorToo } from './access.guard.js';
import { AuditEntriesResponse, ListAuditEntriesQuery, toAuditEntryBody, toAuditFilters } from './audit-entries.dto.js';
import { AuditEntriesService, auditOrder } from './audit-entries.service.js';
import type { AuthenticatedRequest } from './caller.js';
import { WorkspacesService } from './workspaces.service.js';

@ApiTags('Administration')
@Controller('api/admin/v1/workspaces/:workspace_id/audit-entries')
export class AuditEntriesController {
  constructor(
    private readonly entries: AuditEntriesService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the audit trail of a workspace, newest first: who changed or deleted what.',
    description:
      'Every deletion writes an entry, and so does every change of keys, settings, limits, prices, webhooks and labels. Entries cannot be changed or deleted.',
  })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: AuditEntriesResponse })
  @Throws(AccessErrors.workspace_not_found, PlatformErrors.cursor_invalid)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() query: ListAuditEntriesQuery,
  ): Promise<AuditEntriesResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { cursor, limit = 20, order = 'desc' } = query;
    const filters = toAuditFilters(query);
    const entries = await this.entries.list(caller, filters, { cursor, limit, order });
    const page = toPage(entries, { limit, cursor }, auditOrder(order, filters), ({ id }) => [Number(id)]);
    return { ...page, data: page.data.map(toAuditEntryBody) };
  }
}
