import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { StorageCountSweep } from './storage-count.sweep.js';
import { StorageController } from './storage.controller.js';
import { StorageService } from './storage.service.js';
import { StorageInterceptor } from './stores.js';

@Module({})
export class StorageModule {
  /** Global, because many domains add data to workspaces. */
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: StorageModule,
      global: true,
      controllers: [StorageController],
      providers: [
        StorageService,
        { provide: APP_INTERCEPTOR, useClass: StorageInterceptor },
        ...(works ? [StorageCountSweep] : []),
      ],
      exports: [StorageService],
    };
  }
}
