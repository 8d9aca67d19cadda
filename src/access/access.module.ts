import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { HeldKeys } from './held-keys.js';
import { PathLookups } from './path-lookups.js';
import { WorkspacesService } from './workspaces.service.js';
import { WrongKeys } from './wrong-keys.js';

@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    WorkspacesService,
    Authenticator,
    WrongKeys,
    PathLookups,
    HeldKeys,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [Authenticator, HeldKeys, WorkspacesService, WrongKeys],
})
export class AccessModule {}
