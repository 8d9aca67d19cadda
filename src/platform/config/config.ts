import { base64Key, integer, oneOf, readSettings, secret, text, url } from './settings.js';

const MIB = 1024 * 1024;

/** Every environment variable the server reads. `docs/reference/configuration.md` is generated from it. */
export const CONFIG_SCHEMA = {
  databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:'], { description: 'PostgreSQL 15 or newer.' }),
  redisUrl: url('REDIS_URL', ['redis:', 'rediss:'], { description: 'Redis 6.2 or newer.' }),
  port: integer('PORT', { fallback: '3000', min: 0, max: 65535, description: 'Port of the HTTP server.' }),
  host: text('HOST', {
    fallback: '127.0.0.1',
    description:
      'Address the HTTP server listens on. By default only programs of the same machine reach it; `0.0.0.0` opens it to the network.',
  }),
  trustedProxies: text('TRUSTED_PROXIES', {
    fallback: '',
    description:
      'Addresses or networks of reverse proxies, separated by commas, whose `X-Forwarded-For` says who calls. Without it all callers behind a proxy share the limits of one address.',
  }),
  logLevel: oneOf('LOG_LEVEL', ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const, {
    fallback: 'info',
    description: 'Least severe log lines to print.',
  }),
  adminToken: secret('ADMIN_TOKEN', {
    minLength: 24,
    description: 'Bearer token of the admin endpoints. Without it only API keys with a permission can use them.',
  }),
  metricsToken: secret('METRICS_TOKEN', {
    minLength: 24,
    description: 'Bearer token of `/metrics`. Callers on the same machine need none; without it nobody else gets in.',
  }),
  secretsKey: base64Key('SECRETS_KEY', {
    bytes: 32,
    description:
      'Encrypts secrets in the database, such as those of webhooks: 32 random bytes in base64 (`openssl rand -base64 32`). Without it nothing that needs a secret can be created. `npm start` makes its own.',
  }),
  outboundAllowPrivate: oneOf('OUTBOUND_ALLOW_PRIVATE', ['off', 'on'] as const, {
    fallback: 'off',
    description: 'Whether URLs that users choose may lead to private addresses: `on` or `off`.',
  }),
  extensions: text('EXTENSIONS', {
    fallback: '',
    description:
      'Modules of your own, separated by commas: files (`./house.js`, from the folder the process starts in) or packages, each with a Nest module as its default export.',
  }),
  queuePrefix: text('QUEUE_PREFIX', {
    fallback: 'tracesheet',
    description: 'Prefix of all Redis keys, so that installations can share a Redis.',
  }),
  databasePool: integer('DATABASE_POOL', { fallback: '10', min: 3, max: 500, description: 'Connections per process.' }),
  statementTimeoutMs: integer('STATEMENT_TIMEOUT_MS', {
    fallback: '30000',
    min: 100,
    max: 3_600_000,
    description: 'Longest time one SQL statement may take, in milliseconds.',
  }),
  readingPool: integer('READING_POOL', {
    fallback: '2',
    min: 1,
    max: 500,
    description: 'Connections per process for analytics and exports, beside those of DATABASE_POOL.',
  }),
  readingTimeoutMs: integer('READING_TIMEOUT_MS', {
    fallback: '30000',
    min: 100,
    max: 3_600_000,
    description: 'Longest time one SQL statement of analytics or an export may take, in milliseconds.',
  }),
  searchesPerMinute: integer('SEARCHES_PER_MINUTE', {
    fallback: '600',
    min: 0,
    max: 1_000_000,
    description: 'Searches of request logs that one API key may make in a minute; 0 for any number.',
  }),
  suggestionsPerMinute: integer('SUGGESTIONS_PER_MINUTE', {
    fallback: '10',
    min: 0,
    max: 1_000_000,
    description: 'Requests for suggestions that one API key may make in a minute; 0 for any number.',
  }),
  wrongKeysPerMinute: integer('WRONG_KEYS_PER_MINUTE', {
    fallback: '100',
    min: 0,
    max: 1_000_000,
    description:
      'Requests with a wrong API key or admin token that one address may make in a minute, counted by each process; 0 for any number. A right key is accepted from it all the same.',
  }),
  connectionsPerAddress: integer('CONNECTIONS_PER_ADDRESS', {
    fallback: '1000',
    min: 1,
    max: 1_000_000,
    description:
      'Connections that one address may have open with a process. One more ends the longest idle of them; when none is idle it is not accepted.',
  }),
  headersTimeLimitMs: integer('HEADERS_TIME_LIMIT_MS', {
    fallback: '15000',
    min: 100,
    max: 3_600_000,
    description: 'Longest time the headers of a request may take to arrive, in milliseconds.',
  }),
  bodyLimit: integer('BODY_LIMIT_BYTES', {
    fallback: String(10 * MIB),
    min: 1024,
    max: 512 * MIB,
    description: 'Largest JSON body outside ingestion, in bytes.',
  }),
  ingestBodyLimit: integer('INGEST_BODY_LIMIT_BYTES', {
    fallback: String(64 * MIB),
    min: 1024,
    max: 512 * MIB,
    description: 'Largest ingestion body, compressed as well as decompressed, in bytes.',
  }),
  bodyMemory: integer('BODY_MEMORY_BYTES', {
    fallback: String(192 * MIB),
    min: 1024,
    max: 8192 * MIB,
    description:
      'Request bodies held in memory at once, in bytes, as far as they have arrived; beyond it clients are asked to retry.',
  }),
  strangerBodyMemory: integer('STRANGER_BODY_MEMORY_BYTES', {
    fallback: String(32 * MIB),
    min: 1024,
    max: 8192 * MIB,
    description:
      'Request bodies held in memory at once whose API key is in the body and so not known yet, in bytes. They are not counted in `BODY_MEMORY_BYTES` until it is.',
  }),
  bodyMemoryShare: integer('BODY_MEMORY_SHARE_PERCENT', {
    fallback: '50',
    min: 1,
    max: 100,
    description:
      'How much of `BODY_MEMORY_BYTES` the requests of one API key may hold, and of `STRANGER_BODY_MEMORY_BYTES` those of one address, in percent.',
  }),
  bodyTimeLimitMs: integer('BODY_TIME_LIMIT_MS', {
    fallback: '900000',
    min: 100,
    max: 86_400_000,
    description: 'Longest time the body of a request may take to arrive, in milliseconds.',
  }),
  bodyLeastBytesPerSecond: integer('BODY_LEAST_BYTES_PER_SECOND', {
    fallback: '4096',
    min: 0,
    max: 1024 * MIB,
    description:
      'Least speed of a request body, in bytes per second; a slower one is answered with 408. 0 for any speed.',
  }),
  bodySpeedWindowMs: integer('BODY_SPEED_WINDOW_MS', {
    fallback: '10000',
    min: 50,
    max: 3_600_000,
    description: 'Time over which that speed is measured, in milliseconds: a body may pause for less than this.',
  }),
  importMaxBytes: integer('IMPORT_MAX_BYTES', {
    fallback: String(100 * MIB),
    min: 1024,
    max: 256 * MIB,
    description: 'Largest file that can be imported into a sheet, in bytes.',
  }),
  computeConcurrency: integer('COMPUTE_CONCURRENCY', {
    fallback: '4',
    min: 1,
    max: 64,
    description: 'Chunks of cells one worker computes at the same time.',
  }),
  externalConcurrency: integer('EXTERNAL_CONCURRENCY', {
    fallback: '100',
    min: 1,
    max: 10_000,
    description:
      'Cells whose results come from outside (models, code, endpoints) that one worker computes at the same time.',
  }),
  externalConcurrencyPerWorkspace: integer('EXTERNAL_CONCURRENCY_PER_WORKSPACE', {
    fallback: '50',
    min: 1,
    max: 10_000,
    description: 'How many of them may be of one workspace.',
  }),
  externalTimeLimitMs: integer('EXTERNAL_TIME_LIMIT_MS', {
    fallback: '600000',
    min: 100,
    max: 86_400_000,
    description: 'Longest time one cell whose result comes from outside may take, in milliseconds.',
  }),
  externalBackoffMs: integer('EXTERNAL_BACKOFF_MS', {
    fallback: '1000',
    min: 1,
    max: 60_000,
    description:
      'Wait before such a cell is tried again after a failure that may pass, in milliseconds, unless the service says how long. Every further wait is twice as long; there are 4 tries.',
  }),
  cellMemoDays: integer('CELL_MEMO_DAYS', {
    fallback: '30',
    min: 0,
    max: 3650,
    description: 'Days for which results from outside are reused for cells with the same inputs; 0 to never reuse one.',
  }),
  maxRowsPerSheet: integer('TABLES_MAX_ROWS', {
    fallback: '100000',
    min: 1,
    max: 10_000_000,
    description: 'Most rows a sheet may have.',
  }),
  recalculationConfirmThreshold: integer('TABLES_RECALC_CONFIRM_THRESHOLD', {
    fallback: '1000',
    min: 0,
    max: 1_000_000_000,
    description: 'Recalculating more cells than this needs a confirmation.',
  }),
  eventRetentionDays: integer('EVENT_RETENTION_DAYS', {
    fallback: '30',
    min: 1,
    max: 3650,
    description: 'Days for which events and their deliveries to webhooks are kept.',
  }),
  eventBackoffMs: integer('EVENT_BACKOFF_MS', {
    fallback: '5000',
    min: 1,
    max: 60_000,
    description:
      'Wait before a consumer gets an event again at which it failed, in milliseconds. Every further wait is three times as long; after 8 tries the event is passed over.',
  }),
  exportRetentionDays: integer('EXPORT_RETENTION_DAYS', {
    fallback: '7',
    min: 1,
    max: 3650,
    description: 'Days for which the file of an export can be downloaded.',
  }),
  exportMaxBytes: integer('EXPORT_MAX_BYTES', {
    fallback: String(5 * 1024 * MIB),
    min: 1024,
    max: 1024 * 1024 * MIB,
    description: 'Largest file of an export, in bytes. Files are kept in the database.',
  }),
  receiptRetentionDays: integer('RECEIPT_RETENTION_DAYS', {
    fallback: '7',
    min: 1,
    max: 3650,
    description: 'Days for which the receipts of ingestion are kept.',
  }),
  eventStreamsPerKey: integer('EVENT_STREAMS_PER_KEY', {
    fallback: '50',
    min: 1,
    max: 100_000,
    description: 'Operations that one API key may follow as events at the same time, counted by each process.',
  }),
  maxWebhooks: integer('WEBHOOKS_MAX', {
    fallback: '50',
    min: 1,
    max: 10_000,
    description: 'Most webhooks a workspace may have.',
  }),
  webhookTimeoutMs: integer('WEBHOOK_TIMEOUT_MS', {
    fallback: '10000',
    min: 50,
    max: 60_000,
    description: 'Longest time the receiver of a webhook may take to answer, in milliseconds.',
  }),
  webhookBackoffMs: integer('WEBHOOK_BACKOFF_MS', {
    fallback: '5000',
    min: 1,
    max: 60_000,
    description:
      'Wait before the second try of a webhook delivery, in milliseconds. Every further wait is three times as long; there are 8 tries.',
  }),
  sweepIntervalMs: integer('SWEEP_INTERVAL_MS', {
    fallback: '5000',
    min: 50,
    max: 3_600_000,
    description: 'How often a worker looks for work whose queue message was lost, in milliseconds.',
  }),
  leaseMs: integer('LEASE_MS', {
    fallback: '30000',
    min: 200,
    max: 3_600_000,
    description: 'How long a worker owns claimed work without a sign of life, in milliseconds.',
  }),
  shutdownTimeoutMs: integer('SHUTDOWN_TIMEOUT_MS', {
    fallback: '15000',
    min: 100,
    max: 600_000,
    description: 'Longest time a process may take to finish its work when asked to stop, in milliseconds.',
  }),
};

export type Config = ReturnType<typeof loadConfig>;

/** Injection token of the configuration. */
export const CONFIG = Symbol('CONFIG');

/** Throws a ConfigurationError naming every problem. */
export function loadConfig(env: Record<string, string | undefined>) {
  return readSettings(CONFIG_SCHEMA, env);
}
