import { type DynamicModule, Module } from '@nestjs/common';
import { registerWork } from '../platform/work/register-work.js';
import { DeletionWork } from './deletion-work.js';
import { WorkspaceDeletionsController } from './workspace-deletions.controller.js';
import { WorkspaceDeletions } from './workspace-deletions.service.js';

@Module({})
export class WorkspaceDeletionsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: WorkspaceDeletionsModule,
      imports: [registerWork(DeletionWork, { queue: 'workspace-deletions', concurrency: 1, works })],
      controllers: [WorkspaceDeletionsController],
      providers: [WorkspaceDeletions, ...(works ? [DeletionWork] : [])],
    };
  }
}
