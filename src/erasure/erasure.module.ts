import { type DynamicModule, Module } from '@nestjs/common';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { registerWork } from '../platform/work/register-work.js';
import { ErasedSearch } from './erased-search.js';
import { ErasureWork } from './erasure-work.js';
import { ErasuresController } from './erasures.controller.js';
import { ErasuresService } from './erasures.service.js';

/** Providers that only workers need. */
const WORKERS = [ErasedSearch, ErasureWork];

@Module({})
export class ErasureModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: ErasureModule,
      // Erasures are few, and each keeps a connection busy.
      imports: [registerWork(ErasureWork, { queue: 'erasures', concurrency: 1, works }), SecretsModule],
      controllers: [ErasuresController],
      providers: [ErasuresService, ...(works ? WORKERS : [])],
    };
  }
}
