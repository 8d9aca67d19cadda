import { Module } from '@nestjs/common';
import { TrackRequestsController } from './track-requests.controller.js';
import { TrackRequestsService } from './track-requests.service.js';

@Module({ controllers: [TrackRequestsController], providers: [TrackRequestsService] })
export class TrackRequestsModule {}
