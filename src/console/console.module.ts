import { Module } from '@nestjs/common';
import { ConsoleSessionController } from './console-session.controller.js';
import { OwnSessionsController } from './own-sessions.controller.js';
import { SessionAnswers } from './session-answers.js';
import { SignInController } from './sign-in.controller.js';
import { SignIns } from './sign-in.service.js';
import { ConsoleSessions } from './console-sessions.service.js';

@Module({
  controllers: [ConsoleSessionController, OwnSessionsController, SignInController],
  providers: [ConsoleSessions, SessionAnswers, SignIns],
  exports: [ConsoleSessions],
})
export class ConsoleModule {}
