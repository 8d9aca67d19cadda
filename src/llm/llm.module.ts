import { Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { CallLimiter } from './calls/call-limiter.js';
import { CredentialTester } from './calls/credential-test.js';
import { ModelCalls } from './calls/model-calls.js';
import { CredentialStore } from './credentials/credential-store.js';
import { ListedProviders } from './credentials/listed-providers.js';
import { ModelCredentialsController } from './credentials/model-credentials.controller.js';
import { ModelCredentialsService } from './credentials/model-credentials.service.js';
import { ModelProvidersController } from './credentials/model-providers.controller.js';
import { ProvidersModule } from './providers/providers.module.js';

/** Calls of models: the providers, what workspaces call them with, and the calls. */
@Module({
  imports: [ProvidersModule, OutboundModule, SecretsModule],
  controllers: [ModelCredentialsController, ModelProvidersController],
  providers: [ModelCalls, CallLimiter, CredentialStore, CredentialTester, ListedProviders, ModelCredentialsService],
  exports: [ProvidersModule, ModelCalls, CredentialStore],
})
export class LlmModule {}
