import { type DynamicModule, Module } from '@nestjs/common';
import { RetentionController } from './retention.controller.js';
import { RetentionService } from './retention.service.js';
import { RetentionSweep } from './retention.sweep.js';

@Module({})
export class RetentionModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: RetentionModule,
      controllers: [RetentionController],
      providers: [RetentionService, ...(works ? [RetentionSweep] : [])],
    };
  }
}
