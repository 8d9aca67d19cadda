import { addressReader } from '../http/address.js';
import { headersIn } from '../telemetry/otlp-headers.js';
import { parseRedisUrl } from './redis-address.js';
import {
  base64Key,
  base64Keys,
  checked,
  integer,
  onOff,
  oneOf,
  optionalUrl,
  secret,
  type SettingValues,
  text,
  url,
} from './settings.js';

const MIB = 1024 * 1024;

/** The environment variables that concern no domain in particular. Those of a domain are in its manifest. */
export const platformSettings = {
  databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:'], { description: 'PostgreSQL 15 or newer.' }),
  redisUrl: checked('REDIS_URL', parseRedisUrl, {
    description:
      'Redis 6.2 or newer: `redis://host:6379/0`, `redis+sentinel://host,host/master` or `redis+cluster://host,host`, each with `rediss` for TLS.',
  }),
  port: integer('PORT', { fallback: '3000', min: 0, max: 65535, description: 'Port of the HTTP server.' }),
  host: text('HOST', {
    fallback: '127.0.0.1',
    description:
      'Address the HTTP server listens on. By default only programs of the same machine reach it; `0.0.0.0` opens it to the network.',
  }),
  publicUrl: optionalUrl('PUBLIC_URL', ['http:', 'https:'], {
    description:
      'Address at which browsers reach the server, such as `https://tracesheet.example.com`: identity providers send people back to it, and links in e-mails and alerts begin with it. Needed with SMTP_URL. Without it the address of the request counts at sign-in, and alerts have paths.',
  }),
  smtpUrl: optionalUrl('SMTP_URL', ['smtp:', 'smtps:'], {
    description:
      'Server that sends e-mail: `smtps://user:password@smtp.example.com:465`, or `smtp://…:587` with STARTTLS. It sends invitations, links for new passwords, and webhooks to e-mail addresses. It needs MAIL_FROM and PUBLIC_URL. Without it links are only shown, and webhooks take only URLs.',
  }),
  mailFrom: text('MAIL_FROM', {
    fallback: '',
    description: 'Sender of e-mail, such as `Tracesheet <tracesheet@example.com>`. Needed with SMTP_URL.',
  }),
  trustedProxies: checked('TRUSTED_PROXIES', addressReader, {
    fallback: '',
    description:
      'Addresses or networks of reverse proxies, separated by commas, whose `X-Forwarded-For` says who calls. Without it all callers behind a proxy share the limits of one address.',
  }),
  logLevel: oneOf('LOG_LEVEL', ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const, {
    fallback: 'info',
    description:
      'Least severe log lines to print: `silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`. `npm start` takes `warn` unless it is set.',
  }),
  adminToken: secret('ADMIN_TOKEN', {
    minLength: 24,
    description:
      'Bearer token of the admin endpoints. Without it the endpoints of the installation (workspaces, users, SCIM tokens, identity providers, group rules) are closed, and those of a workspace take keys and sessions with a permission.',
  }),
  metricsToken: secret('METRICS_TOKEN', {
    minLength: 24,
    description: 'Bearer token of `/metrics`. Callers on the same machine need none; without it nobody else gets in.',
  }),
  secretsKey: base64Key('SECRETS_KEY', {
    bytes: 32,
    description:
      'Encrypts secrets in the database, such as those of webhooks: 32 random bytes in base64 (`openssl rand -base64 32`). Without it nothing that needs a secret can be created; with another one than the database belongs to, no process starts. Without it `npm start` makes one and keeps it in `state.json` of its data folder, also for the database of DATABASE_URL.',
  }),
  secretsKeyPrevious: base64Keys('SECRETS_KEY_PREVIOUS', {
    bytes: 32,
    description:
      'Further keys, separated by commas, that only decrypt: set it to the key before when SECRETS_KEY is replaced, and remove it after `npm run admin -- rotate-secrets`. It also counts beside the key that `npm start` keeps.',
  }),
  outboundAllowPrivate: onOff('OUTBOUND_ALLOW_PRIVATE', {
    fallback: 'off',
    description:
      'Whether URLs that users choose may lead to private addresses: `on` or `off`. Identity providers may then use http:// as well.',
  }),
  extensions: text('EXTENSIONS', {
    fallback: '',
    description:
      'Modules of your own, separated by commas: files (`./house.js`, from the folder the process starts in) or packages, each with a Nest module as its default export.',
  }),
  sandboxProcesses: integer('SANDBOX_PROCESSES', {
    fallback: '3',
    min: 1,
    max: 64,
    description:
      'Slots of each kind in which an api or a worker runs what users wrote: for templates, JavaScript and expressions (about 50 MB each), and for Python (about 200 MB each). Processes start when they are needed and belong to one workspace. One workspace gets all slots but one; workspaces without a slot get one of as many more.',
  }),
  codeTimeLimitMs: integer('CODE_TIME_LIMIT_MS', {
    fallback: '360000',
    min: 100,
    max: 86_400_000,
    description:
      'Longest time the code of a CODE_EXECUTION column may run in one row, and that of a custom score over a sheet, in milliseconds. While the machine is busy, its processor time counts instead, for up to 30 seconds more.',
  }),
  queuePrefix: text('QUEUE_PREFIX', {
    fallback: 'tracesheet',
    description: 'Prefix of all Redis keys, so that installations can share a Redis.',
  }),
  databasePool: integer('DATABASE_POOL', { fallback: '10', min: 3, max: 500, description: 'Connections per process.' }),
  databaseWaitMs: integer('DATABASE_WAIT_MS', {
    fallback: '5000',
    min: 100,
    max: 3_600_000,
    description:
      'Longest wait for a connection of DATABASE_POOL, in milliseconds. A request is then answered with 503, and work of a worker is left to its lease.',
  }),
  statementTimeoutMs: integer('STATEMENT_TIMEOUT_MS', {
    fallback: '30000',
    min: 100,
    max: 3_600_000,
    description:
      'Longest time one SQL statement may take, in milliseconds. Background work over whole tables has ten minutes.',
  }),
  readingPool: integer('READING_POOL', {
    fallback: '2',
    min: 1,
    max: 500,
    description:
      'Connections per process for long reads, beside those of DATABASE_POOL: analytics, exports, monitors, filtered rows, summaries, previews, comparisons and diffs of sheets.',
  }),
  readingTimeoutMs: integer('READING_TIMEOUT_MS', {
    fallback: '30000',
    min: 100,
    max: 3_600_000,
    description: 'Longest time one SQL statement of such a read may take, in milliseconds.',
  }),
  slowStatementMs: integer('SLOW_STATEMENT_MS', {
    fallback: '1000',
    min: 0,
    max: 3_600_000,
    description: 'SQL statements that take longer are logged, in milliseconds; 0 for none.',
  }),
  slowCellMs: integer('SLOW_CELL_MS', {
    fallback: '30000',
    min: 0,
    max: 86_400_000,
    description: 'Cells that compute longer are logged, in milliseconds; 0 for none.',
  }),
  workerPort: integer('WORKER_PORT', {
    fallback: '0',
    min: 0,
    max: 65535,
    description:
      'Port on which a worker answers `/metrics`, `/health/live` and `/health/ready`, at the address of HOST; 0 for none. The api does so on PORT.',
  }),
  otlpEndpoint: optionalUrl('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'], {
    description:
      'Receiver of the traces of the server about itself, by OTLP over HTTP (protobuf): `/v1/traces` is added to it. Empty for none.',
  }),
  otlpHeaders: checked('OTEL_EXPORTER_OTLP_HEADERS', headersIn, {
    fallback: '',
    description: 'Headers that it is sent with it: `name=value,name=value`, such as `x-api-key=pl_…`.',
  }),
  wrongKeysPerMinute: integer('WRONG_KEYS_PER_MINUTE', {
    fallback: '100',
    min: 0,
    max: 1_000_000,
    description:
      'Requests with a wrong API key, admin token or SCIM token that one address may make in a minute, counted by each process; 0 for any number. A right key is accepted from it all the same.',
  }),
  connectionsPerAddress: integer('CONNECTIONS_PER_ADDRESS', {
    fallback: '1000',
    min: 1,
    max: 1_000_000,
    description:
      'Connections that one address may have open with a process. A proxy is one address here, also one of TRUSTED_PROXIES: raise it behind a proxy. An IPv6 address counts with its network of 64 bits. One more ends the longest idle of them; when none is idle it is not accepted.',
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
    description:
      'Largest JSON body outside ingestion, in bytes, and largest ingestion body whose API key is in the body. Files to import and skill collections may be larger.',
  }),
  ingestBodyLimit: integer('INGEST_BODY_LIMIT_BYTES', {
    fallback: String(64 * MIB),
    min: 1024,
    max: 512 * MIB,
    description:
      'Largest ingestion body, compressed as well as decompressed, and largest body of a skill collection, in bytes.',
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
  eventStreamsPerKey: integer('EVENT_STREAMS_PER_KEY', {
    fallback: '50',
    min: 1,
    max: 100_000,
    description: 'Operations that one API key may follow as events at the same time, counted by each process.',
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

/** The configuration of the server. Every manifest adds the settings of its domain to this interface. */
export interface Config extends SettingValues<typeof platformSettings> {}

/** Injection token of the configuration. */
export const CONFIG = Symbol('CONFIG');
