import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { MailModule } from '../platform/mail/mail.module.js';
import { AccessGuard } from './access.guard.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuditEntriesController } from './audit-entries.controller.js';
import { AuditEntriesService } from './audit-entries.service.js';
import { Authenticator } from './authenticator.js';
import { HeldKeys } from './held-keys.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { PathLookups } from './path-lookups.js';
import { StorageCountSweep } from './storage/storage-count.sweep.js';
import { StorageController } from './storage/storage.controller.js';
import { StorageService } from './storage/storage.service.js';
import { StorageInterceptor } from './storage/stores.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesService } from './workspaces.service.js';
import { UsersController } from './users/users.controller.js';
import { UsersService } from './users/users.service.js';
import { GroupRulesController } from './groups/group-rules.controller.js';
import { GroupRules } from './groups/group-rules.service.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { PersonalKeysController } from './keys/personal-keys.controller.js';
import { PersonalKeys } from './keys/personal-keys.service.js';
import { CustomRoles } from './roles/custom-roles.service.js';
import { RolesController } from './roles/roles.controller.js';
import { WrongKeys } from './wrong-keys.js';

@Global()
@Module({
  imports: [DiscoveryModule, MailModule],
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
    StorageController,
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
    WorkspacesService,
    StorageService,
    Authenticator,
    WrongKeys,
    PathLookups,
    HeldKeys,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: StorageInterceptor },
  ],
  exports: [
    Authenticator,
    HeldKeys,
    InvitationsService,
    MeService,
    UsersService,
    StorageService,
    WorkspacesService,
    WrongKeys,
  ],
})
export class AccessModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return { module: AccessModule, providers: works ? [StorageCountSweep] : [] };
  }
}
