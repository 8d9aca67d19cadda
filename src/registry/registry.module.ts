import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LabelChangesController } from './label-changes/label-changes.controller.js';
import { LabelChangesService } from './label-changes/label-changes.service.js';
import { LabelDecisionsService } from './label-changes/label-decisions.service.js';
import { LabelledKinds } from './label-changes/labelled-kinds.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [LabelChangesController],
  providers: [LabelChangesService, LabelDecisionsService, LabelledKinds],
})
export class RegistryModule {}
