import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { bootstrap } from '../../src/access/index.js';
import { APP_ENTRIES, type AppName } from '../../src/app-entries.js';
import { freePort } from '../../src/embedded/ports.js';
import { type PostgresService, startPostgres } from '../../src/embedded/postgres.js';
import { type RedisService, startRedis } from '../../src/embedded/redis.js';
import { hasExited, howItEnded } from '../../src/embedded/server-process.js';
import { migrate } from '../../src/platform/database/migrate.js';

const BUILT = path.resolve(import.meta.dirname, '../../dist/src');
const PASSWORD = 'test';
const KEPT_OUTPUT = 8000;

/** One process of the built product. */
export class ProductProcess {
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-KEPT_OUTPUT);
      });
    }
  }

  /**
   * Resolves once the process serves. `nodeOptions` go to node itself, for example to write a profile.
   * Rejects with what it printed when it ends before.
   */
  static async start(role: AppName, env: NodeJS.ProcessEnv, nodeOptions: string[] = []): Promise<ProductProcess> {
    const entry = APP_ENTRIES[role];
    const child = spawn(process.execPath, [...entry.nodeOptions, ...nodeOptions, path.join(BUILT, entry.file)], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const started = new ProductProcess(child);
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`The ${role} ended while it was starting (${howItEnded(code, signal)}):\n${started.output}`)),
      );
    });
    return started;
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return !hasExited(this.child);
  }

  /** The last it printed. */
  get recentOutput(): string {
    return this.output;
  }

  /** Suspends the process until `resume`, like on a suspended machine. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** kill -9; returns when the process is gone. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Asks it to stop in order; returns when the process is gone. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    this.resume();
    await gone;
  }
}

export interface InstallationOptions {
  /** An empty folder that the services' account can enter. It is removed at the end. */
  folder: string;
  /** Environment variables of every process of the product, on top of those it needs. */
  env?: Record<string, string>;
}

/**
 * The built product with a PostgreSQL and a Redis of its own, each in processes of their own that can be killed and
 * started again. Both services keep their data, as in production.
 */
export class Installation {
  private readonly processes: ProductProcess[] = [];
  private apiKeyOfFirst = '';

  private constructor(
    private readonly options: InstallationOptions,
    private postgres: PostgresService,
    private redis: RedisService,
    private readonly port: number,
  ) {}

  /** Both services are running and the database is migrated; no process of the product is started yet. */
  static async create(options: InstallationOptions): Promise<Installation> {
    const [postgres, redis] = await Promise.all([
      startPostgres({ dataDir: path.join(options.folder, 'postgres'), password: PASSWORD }),
      startRedis({ dataDir: path.join(options.folder, 'redis'), password: PASSWORD }),
    ]);
    const installation = new Installation(options, postgres, redis, await freePort());
    await migrate(postgres.url);
    installation.apiKeyOfFirst = (await bootstrap(postgres.url))!.apiKey;
    return installation;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  /** Log output of PostgreSQL. */
  get databaseOutput(): Readable {
    return this.postgres.child.stderr!;
  }

  get redisUrl(): string {
    return this.redis.url;
  }

  /** URL of the api, which always uses the same port. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A key of the first workspace with the role admin. */
  get apiKey(): string {
    return this.apiKeyOfFirst;
  }

  /** Starts one more process of the product; `env` is for this one alone. */
  async start(role: AppName, nodeOptions: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> {
    const started = await ProductProcess.start(role, { ...this.environment(), ...env }, nodeOptions);
    this.processes.push(started);
    return started;
  }

  /** kill -9 of the postmaster: its sessions end in the middle of whatever they do. */
  async killPostgres(): Promise<void> {
    await killAndWait(this.postgres.child);
  }

  async startPostgres(): Promise<void> {
    const { port } = this.postgres;
    this.postgres = await startPostgres({
      dataDir: path.join(this.options.folder, 'postgres'),
      password: PASSWORD,
      port,
    });
    if (this.postgres.port !== port) throw new Error(`Port ${port} of PostgreSQL was taken meanwhile.`);
  }

  async stopRedis(): Promise<void> {
    await this.redis.stop();
  }

  async startRedis(): Promise<void> {
    const { port } = this.redis;
    this.redis = await startRedis({ dataDir: path.join(this.options.folder, 'redis'), password: PASSWORD, port });
    if (this.redis.port !== port) throw new Error(`Port ${port} of Redis was taken meanwhile.`);
  }

  /** Ends everything and removes the data. */
  async close(): Promise<void> {
    await Promise.all(this.processes.map((running) => running.stop()));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
    rmSync(this.options.folder, { recursive: true, force: true });
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      NODE_ENV: 'production',
      DATABASE_URL: this.postgres.url,
      REDIS_URL: this.redis.url,
      HOST: '127.0.0.1',
      PORT: String(this.port),
      LOG_LEVEL: 'error',
      ...this.options.env,
    };
  }
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (hasExited(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
