import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
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
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesService } from './workspaces.service.js';
import { WrongKeys } from './wrong-keys.js';

@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [WorkspacesController, ApiKeysController, AuditEntriesController, MeController],
  providers: [
    ApiKeysService,
    AuditEntriesService,
    MeService,
    WorkspacesService,
    Authenticator,
    WrongKeys,
    PathLookups,
    HeldKeys,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [Authenticator, HeldKeys, MeService, WorkspacesService, WrongKeys],
})
export class AccessModule {}
