import 'reflect-metadata';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from '../migrations/index.js';
import { ApiKey, AuditEntry, Workspace } from './access/index.js';
import type { Config } from './platform/config/config.js';
import { WatchedClient } from './platform/database/watched-client.js';
import { eventEntities } from './events/index.js';
import { ExternalIdMapping } from './external-ids/index.js';
import { Folder } from './folders/index.js';
import { promptEntities } from './prompts/index.js';
import { requestEntities } from './requests/index.js';
import { tableEntities } from './tables/index.js';
import { traceEntities } from './traces/index.js';
import { Export, ExportChunk } from './exports/index.js';
import { RetentionPolicy } from './retention/index.js';
import { Webhook, WebhookDelivery } from './webhooks/index.js';
import { IdempotencyKey } from './platform/http/idempotency/idempotency-key.entity.js';

/** Every table of the server. A test proves that the migrations make exactly these. */
export const entities = [
  Workspace,
  ApiKey,
  AuditEntry,
  IdempotencyKey,
  ...eventEntities,
  ExternalIdMapping,
  Folder,
  ...promptEntities,
  ...traceEntities,
  ...requestEntities,
  ...tableEntities,
  Webhook,
  WebhookDelivery,
  Export,
  ExportChunk,
  RetentionPolicy,
];

export function dataSourceOptions(databaseUrl: string, config?: Config): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    entities,
    migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    applicationName: 'tracesheet',
    logging: false,
    extra: config && {
      Client: WatchedClient,
      max: config.databasePool,
      statement_timeout: config.statementTimeoutMs,
      // Compiling a statement takes longer than any of ours runs, and so does starting helpers for it.
      options: '-c jit=off -c max_parallel_workers_per_gather=0',
      // A pool that waits for ever turns a lost database into hanging requests.
      connectionTimeoutMillis: 5000,
    },
  };
}

// The typeorm command line needs exactly one exported DataSource.
export default new DataSource(dataSourceOptions(process.env.DATABASE_URL ?? ''));
