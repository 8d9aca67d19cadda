import { Body, Controller, Delete, Get, Param, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Mailer } from '../../platform/mail/mailer.js';
import { Throws } from '../../platform/http/throws.js';
import { DoneResponse } from '../shared/administration.dto.js';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import {
  CreateInvitationRequest,
  InvitationPath,
  InvitationsResponse,
  pathOf,
  IssuedInvitationResponse,
  toInvitationBody,
  toIssuedInvitation,
  toNewInvitation,
} from './invitations.dto.js';
import { invitationMail } from './invitation-mail.js';
import { InvitationsService, type IssuedInvitation } from './invitations.service.js';

@ApiTags('People')
@Controller('api/admin/v1/workspaces/:workspace_id/invitations')
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly workspaces: WorkspacesService,
    private readonly mailer: Mailer,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the open invitations of a workspace.',
    description: 'Newest first. The links are not in the list: each was shown once.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: InvitationsResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<InvitationsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return { success: true, invitations: (await this.invitations.list(caller)).map(toInvitationBody) };
  }

  @Post()
  @ApiOperation({
    summary: 'Invite a person to a workspace.',
    description:
      'The response contains the link, which works once. Send it to the person, unless the server has sent it by e-mail (SMTP_URL). An earlier open invitation of the same address ends. An invitation cannot grant more than its creator may do: 403 `permission_missing`.',
  })
  @OperatorToo('ADMIN')
  @ApiCreatedResponse({ type: IssuedInvitationResponse })
  @Throws(AccessErrors.workspace_not_found, AdministrationErrors.member_exists, AccessErrors.permission_missing)
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: CreateInvitationRequest,
  ): Promise<IssuedInvitationResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const issued = await this.invitations.create(caller, toNewInvitation(body));
    const isWanted = this.mailer.isOn && body.send_email !== false;
    const isSent = isWanted && (await this.send(issued));
    return toIssuedInvitation(issued, isSent);
  }

  @Delete(':invitation_id')
  @ApiOperation({
    summary: 'Withdraw an invitation.',
    description: 'The link ends at once. A second call changes nothing.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: DoneResponse })
  @Throws(AccessErrors.workspace_not_found, AdministrationErrors.invitation_not_found)
  async withdraw(@Req() request: AuthenticatedRequest, @Param() path: InvitationPath): Promise<DoneResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.invitations.withdraw(caller, path.invitation_id);
    return { success: true };
  }

  private send(issued: IssuedInvitation): Promise<boolean> {
    return this.mailer.send(invitationMail(issued.invitation, this.mailer.linkTo(pathOf(issued))));
  }
}
