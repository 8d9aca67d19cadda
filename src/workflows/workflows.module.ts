import { type DynamicModule, Module } from '@nestjs/common';
import { ExternalIdsModule } from '../external-ids/index.js';
import { LiveModule } from '../live/index.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { registerWork } from '../platform/work/register-work.js';
import { AwaitedRuns } from './nodes/awaited-runs.js';
import { NestedRuns } from './nodes/nested-runs.js';
import { WorkflowColumnType } from './nodes/workflow.column-type.js';
import { WorkflowLoopBody } from './nodes/workflow.loop-body.js';
import { SavingController } from './registry/saving.controller.js';
import { SavingService } from './registry/saving.service.js';
import { WorkflowAdministrationController } from './registry/workflow-administration.controller.js';
import { LabelledWorkflows } from './registry/workflow.labelled-kind.js';
import { WORKFLOWS } from './registry/workflow.registry.js';
import { WorkflowFolderItem } from './registry/workflow.folder-item.js';
import { WorkflowsController } from './registry/workflows.controller.js';
import { WorkflowsService } from './registry/workflows.service.js';
import { RunAnnouncer } from './runs/run-announcer.js';
import { RunCanceller } from './runs/run-canceller.js';
import { ExecutionLiveChannel, WorkflowLiveChannel } from './runs/run-channels.js';
import { RunCallbacks } from './runs/run-callbacks.js';
import { RunEndWork } from './runs/run-end-work.js';
import { RunResults } from './runs/run-results.js';
import { RunSheets } from './runs/run-sheets.js';
import { RunSheetOwner } from './runs/run.sheet-owner.js';
import { RunStarter } from './runs/run-starter.js';
import { RunWaits } from './runs/run-waits.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';

const REGISTRY = [WorkflowsService, SavingService, WorkflowFolderItem, LabelledWorkflows];

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

/** Providers for workflows that columns and loops run. */
const NODES = [AwaitedRuns, NestedRuns, WorkflowColumnType, WorkflowLoopBody];

@Module({})
export class WorkflowsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: WorkflowsModule,
      imports: [
        LiveModule,
        OutboundModule,
        registerWork(RunEndWork, { queue: 'workflow-run-ends', concurrency: 8, works }),
        ExternalIdsModule.for({
          ...WORKFLOWS.externalIdHolder,
          path: 'workflows/:workflow_id',
          tag: 'Workflows',
        }),
      ],
      controllers: [WorkflowsController, SavingController, WorkflowAdministrationController, RunsController],
      providers: [...REGISTRY, ...RUNS, ...NODES, ...(works ? [RunCallbacks, RunEndWork] : [])],
    };
  }
}
