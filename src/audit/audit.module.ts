import { type DynamicModule, Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditDownload } from './audit-download.js';
import { SealHorizon } from './seal-horizon.js';
import { SealingSweep } from './sealing.sweep.js';

/** Providers of workers only. */
const WORKERS = [SealHorizon, SealingSweep];

@Module({})
export class AuditModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: AuditModule,
      controllers: [AuditController],
      providers: [AuditDownload, ...(works ? WORKERS : [])],
    };
  }
}
