import { type DynamicModule, Module } from '@nestjs/common';
import { registerWork } from '../platform/work/register-work.js';
import { Evaluation } from './evaluation.js';
import { MonitorWork } from './monitor-work.js';
import { MonitorsController } from './monitors.controller.js';
import { MonitorsService } from './monitors.service.js';
import { OldAlertsSweep } from './old-alerts.sweep.js';
import { PreviewService } from './preview.service.js';
import { StoreVerdicts } from './store-verdicts.js';

/** Providers that only workers need. */
const WORKERS = [MonitorWork, Evaluation, OldAlertsSweep];
/** Batches of different workspaces that one worker evaluates at the same time. */
const AT_ONCE = 2;

@Module({})
export class MonitorsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: MonitorsModule,
      imports: [registerWork(MonitorWork, { queue: 'monitors', concurrency: AT_ONCE, works })],
      controllers: [MonitorsController],
      providers: [MonitorsService, PreviewService, StoreVerdicts, ...(works ? WORKERS : [])],
    };
  }
}
