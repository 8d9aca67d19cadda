import { type DynamicModule, Module } from '@nestjs/common';
import { ExternalIdsModule } from '../external-ids/index.js';
import { LiveModule } from '../live/index.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { NestedRuns } from './nodes/nested-runs.js';
import { WorkflowColumnType } from './nodes/workflow.column-type.js';
import { WorkflowLoopBody } from './nodes/workflow.loop-body.js';
import { SavingController } from './registry/saving.controller.js';
import { SavingService } from './registry/saving.service.js';
import { WorkflowAdministrationController } from './registry/workflow-administration.controller.js';
import { WORKFLOWS } from './registry/workflow.registry.js';
import { WorkflowFolderItem } from './registry/workflow.folder-item.js';
import { WorkflowsController } from './registry/workflows.controller.js';
import { WorkflowsService } from './registry/workflows.service.js';
import { RunAnnouncer } from './runs/run-announcer.js';
import { RunCanceller } from './runs/run-canceller.js';
import { ExecutionLiveChannel, WorkflowLiveChannel } from './runs/run-channels.js';
import { RunEndProcessor } from './runs/run-end.processor.js';
import { RunEndWork } from './runs/run-end-work.js';
import { RUN_END_QUEUE } from './runs/run-owner.js';
import { RunResults } from './runs/run-results.js';
import { RunSheets } from './runs/run-sheets.js';
import { RunSheetOwner } from './runs/run.sheet-owner.js';
import { RunStarter } from './runs/run-starter.js';
import { RunWaits } from './runs/run-waits.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';

const REGISTRY = [WorkflowsService, SavingService, WorkflowFolderItem];

const RUNS = [
  RunSheets,
  RunStarter,
  RunResults,
  RunWaits,
  RunAnnouncer,
  RunCanceller,
  RunsService,
  RunSheetOwner,
  ExecutionLiveChannel,
  WorkflowLiveChannel,
];

/** What columns and loops run. */
const NODES = [NestedRuns, WorkflowColumnType, WorkflowLoopBody];

/** What only a worker does. */
const WORKERS = [RunEndWork, RunEndProcessor];

@Module({})
export class WorkflowsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: WorkflowsModule,
      imports: [
        LiveModule,
        OutboundModule,
        registerQueue(RUN_END_QUEUE),
        ExternalIdsModule.for({
          ...WORKFLOWS.externalIdHolder,
          path: 'workflows/:workflow_id',
          tag: 'Workflows',
        }),
      ],
      controllers: [WorkflowsController, SavingController, WorkflowAdministrationController, RunsController],
      providers: [...REGISTRY, ...RUNS, ...NODES, ...(works ? WORKERS : [])],
    };
  }
}
