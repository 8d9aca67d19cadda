import { type DynamicModule, Module } from '@nestjs/common';
import { LiveModule } from '../live/index.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { ExportExpiry } from './export-expiry.js';
import { ExportReading } from './export-reading.js';
import { ExportWork } from './export-work.js';
import { EXPORT_QUEUE, ExportProcessor } from './export.processor.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

/** What only a worker does. */
const WORKERS = [ExportReading, ExportWork, ExportProcessor, ExportExpiry];

@Module({})
export class ExportsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: ExportsModule,
      imports: [LiveModule, registerQueue(EXPORT_QUEUE)],
      controllers: [ExportsController],
      providers: [ExportsService, ...(works ? WORKERS : [])],
    };
  }
}
