import { type DynamicModule, Module } from '@nestjs/common';
import { LiveModule } from '../live/index.js';
import { registerWork } from '../platform/work/register-work.js';
import { ExportExpiry } from './export-expiry.js';
import { ExportReading } from './export-reading.js';
import { ExportWork } from './export-work.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

/** Providers that only workers need. */
const WORKERS = [ExportReading, ExportWork, ExportExpiry];

@Module({})
export class ExportsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: ExportsModule,
      // One at a time, because an export reads and encodes at full speed.
      imports: [LiveModule, registerWork(ExportWork, { queue: 'exports', concurrency: 1, works })],
      controllers: [ExportsController],
      providers: [ExportsService, ...(works ? WORKERS : [])],
    };
  }
}
