import type { ExternalIdHolder } from './external-id-holder.js';
import { type DynamicModule, Module } from '@nestjs/common';
import { externalIdsController } from './external-ids.controller.js';
import { ExternalIdsService } from './external-ids.service.js';

@Module({})
export class ExternalIdsModule {
  /** Gives a kind of entity its routes for external ids: one line in the imports of its module. */
  static for(holder: ExternalIdHolder): DynamicModule {
    return { module: ExternalIdsModule, controllers: [externalIdsController(holder)], providers: [ExternalIdsService] };
  }
}
