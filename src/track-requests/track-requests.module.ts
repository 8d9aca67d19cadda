import { Module } from '@nestjs/common';
import { SpansOfCalls } from './call-spans.js';
import { TrackRequestsController } from './track-requests.controller.js';
import { TrackRequestsService } from './track-requests.service.js';

@Module({ controllers: [TrackRequestsController], providers: [TrackRequestsService, SpansOfCalls] })
export class TrackRequestsModule {}
