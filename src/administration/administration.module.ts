import { Module } from '@nestjs/common';
import { MailModule } from '../platform/mail/mail.module.js';
import { AuditEntriesController } from './audit-entries/audit-entries.controller.js';
import { AuditEntriesService } from './audit-entries/audit-entries.service.js';
import { GroupRulesController } from './groups/group-rules.controller.js';
import { GroupRules } from './groups/group-rules.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { ApiKeysController } from './keys/api-keys.controller.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { PersonalKeysController } from './keys/personal-keys.controller.js';
import { PersonalKeys } from './keys/personal-keys.service.js';
import { MeController } from './me/me.controller.js';
import { MeService } from './me/me.service.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { CustomRoles } from './roles/custom-roles.service.js';
import { RolesController } from './roles/roles.controller.js';
import { UsersController } from './users/users.controller.js';
import { UsersService } from './users/users.service.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';

@Module({
  imports: [MailModule],
  controllers: [
    WorkspacesController,
    ApiKeysController,
    UsersController,
    MembersController,
    InvitationsController,
    GroupRulesController,
    RolesController,
    AuditEntriesController,
    MeController,
    PersonalKeysController,
  ],
  providers: [
    ApiKeysService,
    AuditEntriesService,
    MeService,
    UsersService,
    MembersService,
    InvitationsService,
    GroupRules,
    CustomRoles,
    PersonalKeys,
  ],
  exports: [InvitationsService, MeService, UsersService],
})
export class AdministrationModule {}
