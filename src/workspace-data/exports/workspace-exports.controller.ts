import { Controller, Get, Param, Req, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type AuthenticatedRequest, OperatorOnly, WorkspacePath } from '../../access/index.js';
import { attachment } from '../../platform/http/attachment.js';
import { BINARY } from '../../platform/http/binary.js';
import { Throws } from '../../platform/http/throws.js';
import { WorkspaceExportErrors } from './workspace-exports.errors.js';
import { WorkspaceExports } from './workspace-exports.service.js';

const TYPE = 'application/gzip';

@ApiTags('Administration')
@Controller('api/admin/v1/workspaces/:workspace_id/export')
export class WorkspaceExportsController {
  constructor(private readonly exports: WorkspaceExports) {}

  @Get()
  @ApiOperation({
    summary: 'Export a workspace with everything in it.',
    description:
      'A tar file, compressed with gzip, with the rows of all tables as of one moment. Its last entry is `manifest.json`: a file without it is incomplete. `npm run admin -- workspaces restore` restores it. It has API keys as hashes and secrets encrypted, and everything else in clear: keep it like a backup. The audit log of the workspace names the export. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ description: 'The file.', content: { [TYPE]: BINARY } })
  @Throws(AccessErrors.workspace_not_found, WorkspaceExportErrors.workspace_exports_busy)
  async read(
    @Req() { id }: AuthenticatedRequest,
    @Param() { workspace_id: workspaceId }: WorkspacePath,
  ): Promise<StreamableFile> {
    const file = await this.exports.start(id, workspaceId);
    return new StreamableFile(file, { type: TYPE, disposition: attachment(`workspace-${workspaceId}.tar.gz`) });
  }
}
