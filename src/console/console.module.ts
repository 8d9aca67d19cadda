import { Module } from '@nestjs/common';
import { ConsoleSessionController } from './console-session.controller.js';
import { ConsoleSessions } from './console-sessions.service.js';

@Module({ controllers: [ConsoleSessionController], providers: [ConsoleSessions], exports: [ConsoleSessions] })
export class ConsoleModule {}
