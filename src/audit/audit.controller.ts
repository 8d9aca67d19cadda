import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Req, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import {
  AccessErrors,
  type AuthenticatedRequest,
  INSTALLATION,
  OperatorOnly,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { toAuditFilters } from '../administration/index.js';
import { attachment } from '../platform/http/attachment.js';
import { BINARY } from '../platform/http/binary.js';
import { EndsWithClient } from '../platform/http/ends-with-client.js';
import { Throws } from '../platform/http/throws.js';
import { AuditDownload, DOWNLOAD_TYPES } from './audit-download.js';
import {
  AuditVerificationResponse,
  DownloadAuditQuery,
  toKeptHead,
  toVerificationBody,
  VerifyAuditQuery,
} from './audit.dto.js';
import { AuditErrors } from './audit.errors.js';
import { verifyChain } from './verify-chain.js';

/** Entries that one call verifies: about a second. */
const MOST_VERIFIED = 20_000;

const CHAINED = `Entries form a chain: each one is sealed by a hash over itself and the hash before. One call verifies up to ${MOST_VERIFIED} entries; call again from \`verified\` until \`is_complete\` is true. Somebody who can write to the database could recompute all hashes: keep \`head\` elsewhere and pass it as \`after_entry_id\` and \`after_hash\` later, so that this shows, too.`;
const FILE =
  'The file has all entries that match the filters, with their place in the hash chain: `position`, `details_hash` and `hash` are null for entries that are not sealed yet. The hash of the last entry vouches for all before it.';
const OPERATOR = 'Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.';

const FileResponse = () =>
  ApiOkResponse({
    description: 'The file.',
    content: Object.fromEntries(Object.values(DOWNLOAD_TYPES).map((type) => [type.split(';')[0]!, BINARY])),
  });

@ApiTags('Administration')
@Controller('api/admin/v1')
export class AuditController {
  constructor(
    private readonly db: DataSource,
    private readonly files: AuditDownload,
    private readonly workspaces: WorkspacesService,
  ) {}

  @EndsWithClient()
  @Get('workspaces/:workspace_id/audit-entries/verification')
  @ApiOperation({
    summary: 'Verify that no audit entry was altered, removed or inserted.',
    description: CHAINED,
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: AuditVerificationResponse })
  @Throws(AccessErrors.workspace_not_found, AuditErrors.audit_head_incomplete)
  async verify(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() query: VerifyAuditQuery,
  ): Promise<AuditVerificationResponse> {
    const { workspaceId } = await this.workspaces.callerIn(request, path.workspace_id);
    return this.verifyScope(workspaceId, query);
  }

  @EndsWithClient()
  @Get('audit-entries/verification')
  @ApiOperation({
    summary: 'Verify that no audit entry of the installation was altered, removed or inserted.',
    description: `${CHAINED} ${OPERATOR}`,
  })
  @OperatorOnly()
  @ApiOkResponse({ type: AuditVerificationResponse })
  @Throws(AuditErrors.audit_head_incomplete)
  verifyInstallation(@Query() query: VerifyAuditQuery): Promise<AuditVerificationResponse> {
    return this.verifyScope(INSTALLATION, query);
  }

  @Get('workspaces/:workspace_id/audit-entries/download')
  @ApiOperation({
    summary: 'Download audit entries as JSON lines or CSV, oldest first.',
    description: FILE,
  })
  @OperatorToo('ADMIN')
  @FileResponse()
  @Throws(AccessErrors.workspace_not_found)
  async download(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Query() query: DownloadAuditQuery,
  ): Promise<StreamableFile> {
    const { workspaceId } = await this.workspaces.callerIn(request, path.workspace_id);
    return this.send(workspaceId, query, String(workspaceId));
  }

  @Get('audit-entries/download')
  @ApiOperation({
    summary: 'Download audit entries of the installation as JSON lines or CSV, oldest first.',
    description: `${FILE} ${OPERATOR}`,
  })
  @OperatorOnly()
  @FileResponse()
  downloadOfInstallation(@Query() query: DownloadAuditQuery): Promise<StreamableFile> {
    return this.send(INSTALLATION, query, 'installation');
  }

  private async verifyScope(workspaceId: number, query: VerifyAuditQuery): Promise<AuditVerificationResponse> {
    const after = toKeptHead(query);
    return toVerificationBody(await verifyChain(this.db.manager, workspaceId, { after, limit: MOST_VERIFIED }));
  }

  private async send(workspaceId: number, query: DownloadAuditQuery, name: string): Promise<StreamableFile> {
    const { format = 'jsonl' } = query;
    const pieces = await this.files.open(workspaceId, toAuditFilters(query), format);
    return new StreamableFile(Readable.from(pieces, { objectMode: false }), {
      type: DOWNLOAD_TYPES[format],
      disposition: attachment(`audit-entries-${name}.${format}`),
    });
  }
}
