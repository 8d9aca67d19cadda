import { type DynamicModule, Module } from '@nestjs/common';
import { registerQueue } from '../platform/queue/register-queue.js';
import { REPRICING_QUEUE, RepricingBell } from './repricing-bell.js';
import { RepricingWork } from './repricing-work.js';
import { RepricingProcessor } from './repricing.processor.js';
import { RepricingsController } from './repricings.controller.js';
import { RepricingsService } from './repricings.service.js';

/** What only a worker does. */
const WORKERS = [RepricingWork, RepricingProcessor];

@Module({})
export class RepricingModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: RepricingModule,
      imports: [registerQueue(REPRICING_QUEUE)],
      controllers: [RepricingsController],
      providers: [RepricingsService, RepricingBell, ...(works ? WORKERS : [])],
    };
  }
}
