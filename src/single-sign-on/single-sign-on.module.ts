import { Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { Admissions } from './admissions.js';
import { Identities } from './identities.service.js';
import { IdentityProvidersController } from './identity-providers.controller.js';
import { IdentityProviders } from './identity-providers.service.js';
import { Logouts } from './logouts.js';
import { OidcClient } from './oidc-client.js';
import { SignInAttempts } from './sign-in-attempts.js';
import { SingleSignOn } from './single-sign-on.service.js';

@Module({
  imports: [OutboundModule, SecretsModule],
  controllers: [IdentityProvidersController],
  providers: [Admissions, Identities, IdentityProviders, Logouts, OidcClient, SignInAttempts, SingleSignOn],
  exports: [Identities, Logouts, SingleSignOn],
})
export class SingleSignOnModule {}
