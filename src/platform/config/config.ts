import { base64Key, integer, oneOf, secret, type SettingValues, text, url } from './settings.js';

const MIB = 1024 * 1024;

/** The environment variables that concern no domain in particular. Those of a domain are in its manifest. */
export const platformSettings = {
  databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:'], { description: 'PostgreSQL 15 or newer.' }),
  redisUrl: url('REDIS_URL', ['redis:', 'rediss:'], { description: 'Redis 6.2 or newer.' }),
  port: integer('PORT', { fallback: '3000', min: 0, max: 65535, description: 'Port of the HTTP server.' }),
  host: text('HOST', { fallback: '0.0.0.0', description: 'Address the HTTP server listens on.' }),
  logLevel: oneOf('LOG_LEVEL', ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const, {
    fallback: 'info',
    description: 'Least severe log lines to print.',
  }),
  adminToken: secret('ADMIN_TOKEN', {
    minLength: 24,
    description: 'Bearer token of the admin endpoints. Without it only API keys with a permission can use them.',
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
    description: 'Request bodies held in memory at once, in bytes; beyond it clients are asked to retry.',
  }),
  importMaxBytes: integer('IMPORT_MAX_BYTES', {
    fallback: String(100 * MIB),
    min: 1024,
    max: 256 * MIB,
    description: 'Largest file that can be imported into a sheet, in bytes.',
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

/** What the server is configured to. Every manifest adds the settings of its domain to this interface. */
export interface Config extends SettingValues<typeof platformSettings> {}

/** Injection token of the configuration. */
export const CONFIG = Symbol('CONFIG');
