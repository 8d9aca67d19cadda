import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { ProcessKind } from '../platform/domain.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { registerWork } from '../platform/work/register-work.js';
import { ColumnTypes } from './column-type/column-type.js';
import { ExecutionMetadataColumnType } from './column-type/execution-metadata.column-type.js';
import { COMPOSITION_QUEUE, CompositionNotifier, CompositionProcessor } from './composition/composition.processor.js';
import { AutoRecalculation } from './computing/auto-recalculation.js';
import { CallTools } from './computing/call-tools.js';
import { CellClaims } from './computing/cell-claims.js';
import { CellCounts } from './computing/cell-counts.js';
import { CellPreviews } from './computing/cell-previews.js';
import { ComputationNotifier, EXTERNAL_QUEUE } from './computing/computation-notifier.js';
import { ExternalWork } from './computing/external-work.js';
import { ExternalProcessor } from './computing/external.processor.js';
import { FormulaWork } from './computing/formula-work.js';
import { PromptChangesConsumer } from './prompt-links/prompt-changes.consumer.js';
import { ToolChangesConsumer } from './prompt-links/tool-changes.consumer.js';
import { SheetOwners } from './shared/sheet-owners.js';

/** Providers of workers. */
const WORKERS = [
  PromptChangesConsumer,
  ToolChangesConsumer,
  CellClaims,
  CellCounts,
  FormulaWork,
  ExternalWork,
  ExternalProcessor,
  CompositionProcessor,
];

/** Rows, cells and columns of all sheets, and their computation. Global: every domain that has sheets uses it. */
@Module({})
export class GridModule {
  static for({ works, config }: ProcessKind): DynamicModule {
    return {
      module: GridModule,
      global: true,
      imports: [
        DiscoveryModule,
        OutboundModule,
        registerQueue(EXTERNAL_QUEUE),
        registerQueue(COMPOSITION_QUEUE),
        registerWork(FormulaWork, { queue: 'computation', concurrency: config.computeConcurrency, works }),
      ],
      providers: [
        ColumnTypes,
        ExecutionMetadataColumnType,
        ComputationNotifier,
        AutoRecalculation,
        CompositionNotifier,
        SheetOwners,
        CallTools,
        CellPreviews,
        ...(works ? WORKERS : []),
      ],
      exports: [ColumnTypes, ComputationNotifier, CellPreviews],
    };
  }
}
