import { Module } from '@nestjs/common';
import { LlmModule } from '../llm/index.js';
import { PromptsModule } from '../prompts/index.js';
import { TrialLogs } from './trial-logs.js';
import { TrialPrompts } from './trial-prompts.js';
import { TrialSlots } from './trial-slots.js';
import { TrialsController } from './trials.controller.js';
import { TrialsService } from './trials.service.js';

@Module({
  imports: [LlmModule, PromptsModule],
  controllers: [TrialsController],
  providers: [TrialsService, TrialPrompts, TrialLogs, TrialSlots],
})
export class TrialsModule {}
