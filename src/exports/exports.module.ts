import { type DynamicModule, Module } from '@nestjs/common';
import { registerQueue } from '../platform/queue/register-queue.js';
import { ExportRunner } from './export-runner.js';
import { EXPORT_QUEUE, ExportBell, ExportProcessor } from './export.processor.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

/** What only a worker does. */
const WORKERS = [ExportRunner, ExportProcessor];

@Module({})
export class ExportsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: ExportsModule,
      imports: [registerQueue(EXPORT_QUEUE)],
      controllers: [ExportsController],
      providers: [ExportsService, ExportBell, ...(works ? WORKERS : [])],
    };
  }
}
