import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { LiveAdmission } from './live-admission.js';
import { LiveChannels } from './live-channel.js';
import { LiveFeed } from './live-feed.js';
import { LiveGateway } from './live-gateway.js';
import { LiveServices } from './live-services.js';
import { LiveTokensController } from './live-tokens.controller.js';
import { LiveTokens } from './live-tokens.js';
import { LiveUpdates } from './live-updates.js';
import { WorkspaceChanges } from './workspace-changes.js';
import { WorkspaceLiveChannel } from './workspace.live-channel.js';

@Module({
  imports: [DiscoveryModule, SecretsModule],
  controllers: [LiveTokensController],
  providers: [
    LiveChannels,
    LiveTokens,
    LiveUpdates,
    LiveFeed,
    LiveAdmission,
    LiveServices,
    LiveGateway,
    WorkspaceChanges,
    WorkspaceLiveChannel,
  ],
  exports: [LiveUpdates, WorkspaceChanges],
})
export class LiveModule {}
