import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { registerQueue } from '../platform/queue/register-queue.js';
import { CellsController } from './cells/cells.controller.js';
import { CellsService } from './cells/cells.service.js';
import { ColumnTypes } from './column-types/column-type.js';
import { ColumnTypesController } from './column-types/column-types.controller.js';
import { ContainsColumnType } from './column-types/contains.column-type.js';
import { CountColumnType } from './column-types/count.column-type.js';
import { TextColumnType } from './column-types/text.column-type.js';
import { ColumnsController } from './columns/columns.controller.js';
import { ColumnsService } from './columns/columns.service.js';
import { COMPUTATION_QUEUE, ComputationBell, ComputationProcessor } from './computation/computation.processor.js';
import { OperationsController } from './computation/operations.controller.js';
import { OperationsService } from './computation/operations.service.js';
import { RecalculationService } from './computation/recalculation.service.js';
import { RecalculationsController } from './computation/recalculations.controller.js';
import { TaskRunner } from './computation/task-runner.js';
import { ImportBell, ImportProcessor, IMPORT_QUEUE } from './imports/import.processor.js';
import { Importers } from './imports/importer.js';
import { ImportRunner } from './imports/import-runner.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { RequestLogsImporter } from './imports/request-logs.importer.js';
import { RowsController } from './rows/rows.controller.js';
import { RowsService } from './rows/rows.service.js';
import { SheetsController } from './sheets/sheets.controller.js';
import { SheetsService } from './sheets/sheets.service.js';
import { TableFolderItem } from './tables/table.folder-item.js';
import { TablesController } from './tables/tables.controller.js';
import { TablesService } from './tables/tables.service.js';

const COLUMN_TYPES = [TextColumnType, ContainsColumnType, CountColumnType];

const SERVICES = [
  TablesService,
  SheetsService,
  ColumnsService,
  RowsService,
  CellsService,
  OperationsService,
  RecalculationService,
  ImportsService,
  ColumnTypes,
  TableFolderItem,
  ComputationBell,
  ImportBell,
];

/** What only a worker does. */
const WORKERS = [TaskRunner, ComputationProcessor, Importers, RequestLogsImporter, ImportRunner, ImportProcessor];

@Module({})
export class TablesModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: TablesModule,
      imports: [DiscoveryModule, registerQueue(COMPUTATION_QUEUE), registerQueue(IMPORT_QUEUE)],
      controllers: [
        // Before the sheets: their static segments win over ids.
        ImportsController,
        TablesController,
        SheetsController,
        ColumnsController,
        RowsController,
        CellsController,
        OperationsController,
        RecalculationsController,
        ColumnTypesController,
      ],
      providers: [...COLUMN_TYPES, ...SERVICES, ...(works ? WORKERS : [])],
    };
  }
}
