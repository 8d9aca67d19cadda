import { Module } from '@nestjs/common';
import { ConsoleSessionController } from './console-session.controller.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { AdministrationModule } from '../administration/index.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { SingleSignOnModule } from '../single-sign-on/index.js';
import { IdentitiesController } from './identities.controller.js';
import { OwnSessionsController } from './own-sessions.controller.js';
import { PasswordResets } from './password-resets.js';
import { ProviderLogoutController } from './provider-logout.controller.js';
import { ProviderSignInController } from './provider-sign-in.controller.js';
import { SessionAnswers } from './session-answers.js';
import { SignInController } from './sign-in.controller.js';
import { SignIns } from './sign-in.service.js';
import { ConsoleSessions } from './console-sessions.service.js';

@Module({
  imports: [AdministrationModule, MailModule, SecretsModule, SingleSignOnModule],
  controllers: [
    ConsoleSessionController,
    IdentitiesController,
    OwnSessionsController,
    ProviderLogoutController,
    ProviderSignInController,
    SignInController,
  ],
  providers: [ConsoleSessions, PasswordResets, SessionAnswers, SignIns],
  exports: [ConsoleSessions],
})
export class ConsoleModule {}
