import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Conventions } from './conventions/conventions.js';
import { PROVIDED_CONVENTIONS } from './conventions/provided-conventions.js';
import { IngestionService } from './ingestion/ingestion.service.js';
import { SpanPreparation } from './ingestion/span-preparation.js';
import { OtlpController } from './otlp.controller.js';
import { TracesController } from './traces.controller.js';
import { TracesService } from './traces.service.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [OtlpController, TracesController],
  providers: [IngestionService, SpanPreparation, TracesService, Conventions, ...PROVIDED_CONVENTIONS],
})
export class TracesModule {}
