import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { ProcessKind } from '../platform/domain.js';
import { registerWork } from '../platform/work/register-work.js';
import { FileImporter } from './file.importer.js';
import { ImportRecord } from './import-record.js';
import { ImportStarter } from './import-starter.js';
import { ImportWork } from './import-work.js';
import { Importers } from './importer.js';
import { LogRows } from './log-rows.js';
import { RequestLogsImporter } from './request-logs.importer.js';

/** Imports into sheets of every owner. Global: each domain with sheets starts imports. */
@Module({})
export class ImportsModule {
  static for({ works }: ProcessKind): DynamicModule {
    return {
      module: ImportsModule,
      global: true,
      imports: [DiscoveryModule, registerWork(ImportWork, { queue: 'imports', concurrency: 2, works })],
      providers: [
        Importers,
        FileImporter,
        RequestLogsImporter,
        LogRows,
        ImportRecord,
        ImportStarter,
        // Short imports are carried out by the process that is asked for them.
        ImportWork,
      ],
      exports: [ImportStarter, LogRows],
    };
  }
}
