import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { LiveChannels } from './live-channel.js';
import { LiveFeed } from './live-feed.js';
import { LiveGateway } from './live-gateway.js';
import { LiveTokensController } from './live-tokens.controller.js';
import { LiveTokens } from './live-tokens.js';
import { LiveUpdates } from './live-updates.js';

@Module({
  imports: [DiscoveryModule, SecretsModule],
  controllers: [LiveTokensController],
  providers: [LiveChannels, LiveTokens, LiveUpdates, LiveFeed, LiveGateway],
  exports: [LiveUpdates],
})
export class LiveModule {}
