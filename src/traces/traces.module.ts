import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Conventions } from './conventions/conventions.js';
import { GenAiConvention } from './conventions/gen-ai.convention.js';
import { IngestionService } from './ingestion/ingestion.service.js';
import { OtlpController } from './otlp.controller.js';
import { TracesController } from './traces.controller.js';
import { TracesService } from './traces.service.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [OtlpController, TracesController],
  providers: [IngestionService, TracesService, Conventions, GenAiConvention],
})
export class TracesModule {}
