import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
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
import { WrongKeys } from './wrong-keys.js';

@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [WorkspacesController, ApiKeysController, AuditEntriesController, MeController, StorageController],
  providers: [
    ApiKeysService,
    AuditEntriesService,
    MeService,
    WorkspacesService,
    StorageService,
    Authenticator,
    WrongKeys,
    PathLookups,
    HeldKeys,
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: StorageInterceptor },
  ],
  exports: [Authenticator, HeldKeys, MeService, StorageService, WorkspacesService, WrongKeys],
})
export class AccessModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return { module: AccessModule, providers: works ? [StorageCountSweep] : [] };
  }
}
