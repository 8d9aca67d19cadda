import { type DynamicModule, Module } from '@nestjs/common';
import { registerQueue } from '../platform/queue/register-queue.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { ErasedSearch } from './erased-search.js';
import { ERASURE_QUEUE, ErasureBell } from './erasure-bell.js';
import { ErasureWork } from './erasure-work.js';
import { ErasureProcessor } from './erasure.processor.js';
import { ErasuresController } from './erasures.controller.js';
import { ErasuresService } from './erasures.service.js';

/** What only a worker does. */
const WORKERS = [ErasedSearch, ErasureWork, ErasureProcessor];

@Module({})
export class ErasureModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: ErasureModule,
      imports: [registerQueue(ERASURE_QUEUE), SecretsModule],
      controllers: [ErasuresController],
      providers: [ErasuresService, ErasureBell, ...(works ? WORKERS : [])],
    };
  }
}
