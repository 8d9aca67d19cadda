import { type DynamicModule, Module } from '@nestjs/common';
import { registerWork } from '../platform/work/register-work.js';
import { RepricingWork } from './repricing-work.js';
import { RepricingsController } from './repricings.controller.js';
import { RepricingsService } from './repricings.service.js';

@Module({})
export class RepricingModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: RepricingModule,
      // Repricings are few, and each keeps a connection busy.
      imports: [registerWork(RepricingWork, { queue: 'repricings', concurrency: 1, works })],
      controllers: [RepricingsController],
      providers: [RepricingsService, ...(works ? [RepricingWork] : [])],
    };
  }
}
