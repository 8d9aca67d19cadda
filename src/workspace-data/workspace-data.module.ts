import { type DynamicModule, Module } from '@nestjs/common';
import { registerWork } from '../platform/work/register-work.js';
import { DeletionWork } from './deletions/deletion-work.js';
import { LateRowsSweep } from './deletions/late-rows.sweep.js';
import { WorkspaceDeletionsController } from './deletions/workspace-deletions.controller.js';
import { WorkspaceDeletions } from './deletions/workspace-deletions.service.js';
import { WorkspaceExportsController } from './exports/workspace-exports.controller.js';
import { WorkspaceExports } from './exports/workspace-exports.service.js';

@Module({})
export class WorkspaceDataModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: WorkspaceDataModule,
      imports: [registerWork(DeletionWork, { queue: 'workspace-deletions', concurrency: 1, works })],
      controllers: [WorkspaceDeletionsController, WorkspaceExportsController],
      providers: [WorkspaceDeletions, WorkspaceExports, ...(works ? [DeletionWork, LateRowsSweep] : [])],
    };
  }
}
