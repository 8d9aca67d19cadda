import { mkdirSync } from 'node:fs';
import { APP_ENTRIES, type AppName } from '../app-entries.js';
import { type AppProcess, newAppProcess } from './app-process.js';
import { runDemo } from './demo/demo.js';
import { describeNewKey, describeReady } from './greeting.js';
import { StartError } from '../platform/start-error.js';
import { saysDiskFull } from './kept-service.js';
import { type LaunchOptions, readLaunchOptions } from './launch-options.js';
import { type Lock, acquireLock } from './lock.js';
import { assertPortAvailable } from './ports.js';
import { Progress } from './progress.js';
import { keepsKey, keyVariables } from './secrets-key.js';
import { type Services, startServices } from './services.js';
import { loadState } from './state.js';

/** PostgreSQL's code. */
const DISK_FULL = '53100';

/** The one-command product: services, migrations, first workspace, api and worker; and an orderly stop of all of them in every case. */
class Launcher {
  /** Aborted by the first request to stop: no further step of the start begins. */
  private readonly wanted = new AbortController();
  private lock: Lock | null = null;
  private services: Services | null = null;
  private apps: AppProcess[] = [];
  private running: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | null = null;
  /** Not shown yet. The key can never be read again, so it is printed on a failed start, too. */
  private newKey: string | null = null;

  /** The embedded services, for messages. */
  private readonly embedded: string;

  constructor(
    private readonly options: LaunchOptions,
    private readonly progress: Progress,
  ) {
    const { databaseUrl, redisUrl } = options;
    this.embedded = [databaseUrl ? [] : 'PostgreSQL', redisUrl ? [] : 'Redis'].flat().join(' and ');
  }

  /** Starts everything in the background; when the start fails, the started parts are stopped. */
  run(): void {
    this.running = this.start().catch((error: unknown) => {
      if (!this.wanted.signal.aborted) void this.stop(explain(error, this.options.dataDir), 1);
    });
  }

  /** Restarts the api and the worker from the current files. When they fail, the next change is awaited. */
  reload(): void {
    const again = async (): Promise<void> => {
      if (this.wanted.signal.aborted || !this.services) return;
      await Promise.all(this.apps.map((app) => app.stop(this.options.appStopLimitMs)));
      const starting = this.startApps(this.services);
      await this.progress.during('Starting the api and the worker again', starting);
      this.progress.say('Ready');
    };
    this.running = this.running.then(again).catch((error: unknown) => {
      if (!this.wanted.signal.aborted) this.progress.say(explain(error));
    });
  }

  /** Stops everything that was started and ends this process. Only the first call counts. */
  stop(reason: string, exitCode: number): Promise<void> {
    this.stopping ??= this.shutDown(reason, exitCode);
    return this.stopping;
  }

  private async start(): Promise<void> {
    const { options, progress } = this;
    mkdirSync(options.dataDir, { recursive: true });
    this.lock = await acquireLock(options.dataDir);
    await assertPortAvailable(options.port);

    // Loading the database code takes longer than a warm start of the services.
    const migrations = import('../platform/database/migrate.js');
    const access = import('../access/index.js');
    if (options.databaseUrl) this.makeKey();
    const services = await this.startServices();
    const created = await this.prepareDatabase(services.databaseUrl, await migrations, await access);
    await progress.during('Starting the api and the worker', this.startApps(services));

    this.announce();
    if (created && options.demo) await runDemo(options.port, created, progress, this.wanted.signal);
  }

  /** A database of the operator survives the data folder, so the operator has to know of a key that is only there. */
  private makeKey(): void {
    const { dataDir } = this.options;
    if (process.env.SECRETS_KEY || keepsKey(process.env)) return;
    loadState(dataDir);
    this.progress.say(
      `Made a SECRETS_KEY in ${dataDir}/state.json. Keep a copy in another place: without it the secrets in the database of DATABASE_URL have to be entered again.`,
    );
  }

  private async startServices(): Promise<Services> {
    const starting = startServices(this.options, this.wanted.signal);
    this.services = this.embedded ? await this.progress.during(`Starting ${this.embedded}`, starting) : await starting;
    this.wanted.signal.throwIfAborted();
    this.services.watch({
      say: (text) => this.progress.say(text),
      onGiveUp: (message) => void this.stop(message, 1),
    });
    return this.services;
  }

  /** @returns the first API key when this start created the first workspace, else null */
  private async prepareDatabase(
    url: string,
    { migrate }: typeof import('../platform/database/migrate.js'),
    { bootstrap }: typeof import('../access/index.js'),
  ): Promise<string | null> {
    const applied = await this.progress.during('Migrating the database', migrate(url));
    if (applied.length > 0) this.progress.say(`Applied ${applied.length} migration${applied.length === 1 ? '' : 's'}`);
    this.wanted.signal.throwIfAborted();
    const created = await bootstrap(url, this.options.presetKey);
    if (!created?.created) return null;
    this.newKey = created.apiKey;
    this.wanted.signal.throwIfAborted();
    return created.apiKey;
  }

  private async startApps({ databaseUrl, redisUrl, ...kept }: Services): Promise<void> {
    this.wanted.signal.throwIfAborted();
    const { port } = this.options;
    // A line per request would hide the output of the launcher.
    const quiet = { LOG_LEVEL: process.env.LOG_LEVEL || 'warn' };
    const services = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const secrets = keyVariables(process.env, kept);
    const env = { ...process.env, ...quiet, ...services, ...secrets, PORT: String(port) };
    this.apps = (['api', 'worker'] as const).map((name) => this.appProcess(name, env));
    await Promise.all(this.apps.map((app) => app.start()));
    this.wanted.signal.throwIfAborted();
  }

  private appProcess(name: AppName, env: NodeJS.ProcessEnv): AppProcess {
    const { debugPort } = APP_ENTRIES[name];
    return newAppProcess(name, {
      nodeOptions: this.options.development ? ['--enable-source-maps', `--inspect=${debugPort}`] : [],
      env,
      say: (text) => this.progress.say(text),
      onGiveUp: (message) => void this.stop(message, 1),
    });
  }

  private announce(): void {
    this.progress.say('Ready');
    console.log(describeReady(this.options));
    this.showNewKey();
    console.log('  Press Ctrl-C to stop.\n');
  }

  private showNewKey(): void {
    if (this.newKey === null) return;
    console.log(describeNewKey(this.newKey, this.options));
    this.newKey = null;
  }

  private async shutDown(reason: string, exitCode: number): Promise<void> {
    this.wanted.abort();
    if (exitCode === 0) this.progress.say(reason);
    else console.error(`\n${reason}\n`);
    this.showNewKey();

    // The services stop last: the app needs them to finish.
    await Promise.all(this.apps.map((app) => app.stop(this.options.appStopLimitMs)));
    if (this.apps.length > 0) this.progress.say('Stopped: the api and the worker');
    await this.running;
    await this.services?.stop();
    if (this.services && this.embedded) this.progress.say(`Stopped: ${this.embedded}`);
    this.lock?.release();
    process.exit(exitCode);
  }
}

function explain(error: unknown, folder?: string): string {
  if (folder && isDiskFull(error))
    return `There is no space left on the device that holds ${folder}. Make room, then start again; nothing is lost.`;
  if (error instanceof StartError) return error.message;
  return `Tracesheet could not start. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** True for the messages of Node, of PostgreSQL in a statement, and in the last output of a service. */
function isDiskFull(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === 'ENOSPC' || code === DISK_FULL || saysDiskFull(message ?? '');
}

function readOptionsOrExit(): LaunchOptions {
  try {
    return readLaunchOptions(process.env);
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}

/** Handles every request to stop and every end by itself. */
function watchForTheEnd(launcher: Launcher): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => void launcher.stop('Stopping', 0));
  }
  // Started by the wrapper: when that is killed, its terminal could no longer stop this process.
  process.once('disconnect', () => void launcher.stop('Stopping, as the starting process has gone', 0));
  process.on('message', (message) => message === 'changed' && launcher.reload());
  process.on('uncaughtException', (error) => void launcher.stop(explain(error), 1));
  process.on('unhandledRejection', (error) => void launcher.stop(explain(error), 1));
  // A closed terminal must not interrupt the orderly stop by failing writes.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

const options = readOptionsOrExit();
const launcher = new Launcher(options, new Progress(options.startedAt));
watchForTheEnd(launcher);
launcher.run();
