import { randomBytes } from 'node:crypto';
import type { ModuleMetadata } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { inject } from 'vitest';
import { bootstrap } from '../../src/access/index.js';
import { createApp } from '../../src/app.js';
import { loadConfig } from '../../src/composition.js';
import type { Config } from '../../src/platform/config/config.js';
import { Client } from './client.js';
import { type ContractChecker, contractCheckerFor } from './contract-checker.js';
import { testDatabase, type TestDatabase } from './database.js';
import { PATIENT } from './patient.js';
import { untilQueuesAnswer, sweeperOf } from './sweeps.js';

export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export interface TestAppOptions {
  /** Environment variables on top of those of the test; undefined for those that are not set. */
  env?: Record<string, string | undefined>;
  extensions?: ModuleMetadata['imports'];
  /** False for an api process: nothing is computed unless somebody else works. */
  works?: boolean;
  /** Gives the URL by which the app reaches its database, for example through a proxy. */
  via?: (databaseUrl: string) => string;
  /** An existing database of an installation, instead of a new one. */
  installation?: TestInstallation;
}

export interface TestInstallation extends TestDatabase {
  /** A key of the first workspace with the role admin. */
  apiKey: string;
}

async function newInstallation(): Promise<TestInstallation> {
  const database = await testDatabase();
  return { ...database, apiKey: (await bootstrap(database.url))!.apiKey };
}

/** Servers that test files of this process share, by whether they work. */
const shared = new Map<boolean, Promise<TestApp>>();

/** A whole server in this process, and a workspace. */
export class TestApp {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly config: Config,
    /** A key of the workspace with the role admin. */
    readonly apiKey: string,
    readonly contract: ContractChecker,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * A new workspace on the server that other files of this process use, too. Options that a server starts with give it one of its own.
   */
  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const { works = true, ...others } = options;
    if (Object.keys(others).length > 0) return TestApp.own(options);
    const started = shared.get(works) ?? TestApp.own({ works });
    shared.set(works, started);
    const server = await started;
    return new TestApp(server.app, server.config, await server.newKey(), server.contract, () => Promise.resolve());
  }

  /** A server with its own database, for tests of state that all workspaces share, or of a server at its start. */
  static async own({
    env,
    extensions,
    works = true,
    via = (url) => url,
    ...rest
  }: TestAppOptions = {}): Promise<TestApp> {
    const { url, apiKey, close } = rest.installation ?? (await newInstallation());
    const config = testConfig(via(url), env);
    const app = await createApp({ config, works, extensions });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    // No sweep repairs a notification that is sent before.
    await untilQueuesAnswer(app);
    const stop = () => app.close().then(close);
    return new TestApp(app, config, apiKey, contractCheckerFor(app, extensions !== undefined), stop);
  }

  /** Works with other settings than the server was started with: those that are read whenever they are needed. */
  async withSettings<T>(settings: Partial<Config>, work: () => Promise<T>): Promise<T> {
    const before = { ...this.config };
    Object.assign(this.config, settings);
    return work().finally(() => Object.assign(this.config, before));
  }

  /** A client with the key of the workspace. */
  get client(): Client {
    return this.clientWith(this.apiKey);
  }

  clientWith(apiKey: string | null): Client {
    return new Client(this.app, this.contract, apiKey);
  }

  /** A client of another workspace, which knows nothing of the first. */
  async stranger(): Promise<Client> {
    return this.clientWith(await this.newKey());
  }

  /** A key of a new workspace with the role admin. */
  private async newKey(): Promise<string> {
    const operator = this.operator();
    const { workspace } = (await operator.post(
      '/api/admin/v1/workspaces',
      { name: 'Somebody else' },
      201,
    )) as Workspace;
    const issued = await operator.post(`/api/admin/v1/workspaces/${workspace.id}/api-keys`, { role: 'admin' }, 201);
    return (issued as { secret: string }).secret;
  }

  /** A client with the admin token instead of a key. */
  operator(): Client {
    return this.clientWith(null).with({ authorization: `Bearer ${ADMIN_TOKEN}` });
  }

  /** Runs the sweeps of a name once and waits for their end. For a server that works. */
  sweep(name: string): Promise<void> {
    return sweeperOf(this.app).sweep(name);
  }

  /** URL of the server, which starts to listen with this call. */
  async listen(): Promise<string> {
    if (!this.app.getHttpServer().listening) await this.app.listen(0, '127.0.0.1');
    return this.app.getUrl();
  }

  /** Looks into the database, or changes what no request can. */
  sql(text: string, parameters: unknown[] = []): Promise<unknown[]> {
    return this.app.get(DataSource).query<unknown[]>(text, parameters);
  }

  /** Runs `work` between the statements of a transaction and commits it afterwards. */
  inTransaction(
    work: (sql: (text: string, parameters?: unknown[]) => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    return this.app.get(DataSource).transaction((tx) => work((text, parameters) => tx.query(text, parameters)));
  }
}

interface Workspace {
  workspace: { id: number };
}

export function testConfig(databaseUrl: string, env: TestAppOptions['env'] = {}): Config {
  return loadConfig({
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: `t${randomBytes(6).toString('hex')}`,
    ADMIN_TOKEN,
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    LOG_LEVEL: 'fatal',
    // A backend costs more to start than most tests ask of it.
    DATABASE_POOL: '5',
    // No test waits for a clock: it sweeps when it wants to, see `TestApp.sweep`.
    SWEEP_INTERVAL_MS: '3600000',
    ...PATIENT,
    SEARCHES_PER_MINUTE: '0',
    SUGGESTIONS_PER_MINUTE: '0',
    WRONG_KEYS_PER_MINUTE: '0',
    CONSOLE_SIGN_INS_PER_MINUTE: '0',
    CONSOLE_SEARCHES_PER_MINUTE: '0',
    ...env,
  });
}
