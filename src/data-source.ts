import 'reflect-metadata';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from '../migrations/index.js';
import { entities } from './composition.js';
import type { Config } from './platform/config/config.js';
import { Naming } from './platform/database/naming.js';
import { type StatementWatch, WatchedClient } from './platform/database/watched-client.js';

export function dataSourceOptions(databaseUrl: string, config?: Config, watch?: StatementWatch): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    entities: entities(),
    migrations,
    namingStrategy: new Naming(),
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    applicationName: 'tracesheet',
    logging: false,
    extra: config && {
      Client: WatchedClient,
      watch,
      pool: 'main',
      max: config.databasePool,
      statement_timeout: config.statementTimeoutMs,
      // Compiling a statement takes longer than any of ours runs, and so does starting helpers for it.
      options: '-c jit=off -c max_parallel_workers_per_gather=0',
      // Without a timeout a lost database makes requests hang.
      connectionTimeoutMillis: config.databaseWaitMs,
    },
  };
}

// The typeorm command line needs exactly one exported DataSource.
export default new DataSource(dataSourceOptions(process.env.DATABASE_URL ?? ''));
