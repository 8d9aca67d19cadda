import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  SetMetadata,
} from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.js';

const SWEEP = 'sweep';

/**
 * Marks a method that finds abandoned work (a lost queue message, a dead worker) and resumes it. Workers call it at
 * start and then every SWEEP_INTERVAL_MS. It must be safe to run in several workers at once. The name is shown in the
 * log; methods that belong together share one.
 */
export const Sweep = (name: string): MethodDecorator => SetMetadata(SWEEP, name);

/** Runs every `@Sweep()` method of the application's providers, each at most once at a time. */
@Injectable()
export class SweepRunner implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger('Sweep');
  private sweeps: OneAtATime[] = [];
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeps = this.find();
    const runAll = () => this.sweeps.forEach((sweep) => this.runIfIdle(sweep));
    runAll();
    this.timer = setInterval(runAll, this.config.sweepIntervalMs);
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.sweeps.map(({ running }) => running));
  }

  /**
   * Runs the sweeps of a name once and waits for their end. An active run may have missed the newest rows, so another
   * one follows it. Rejects when a sweep fails, and for an unknown name.
   */
  async run(name: string): Promise<void> {
    const named = this.sweeps.filter((sweep) => sweep.name === name);
    if (named.length === 0) {
      const names = [...new Set(this.sweeps.map((sweep) => sweep.name))].sort();
      throw new Error(`No sweep is named ${name}. There are: ${names.join(', ')}.`);
    }
    const runs = await Promise.allSettled(named.map((sweep) => sweep.runAfterCurrent()));
    const failed = runs.find((run) => run.status === 'rejected');
    if (failed) throw failed.reason as Error;
  }

  private runIfIdle(sweep: OneAtATime): void {
    if (sweep.running) return;
    sweep.start().catch((error: unknown) => {
      this.log.warn(`The sweep ${sweep.name} failed and will run again: ${String(error)}`);
    });
  }

  private find(): OneAtATime[] {
    const instances = this.discovery.getProviders().flatMap(({ instance }) => (instance ? [instance as object] : []));
    return instances.flatMap((instance) => {
      const prototype = Object.getPrototypeOf(instance) as Record<string, (() => Promise<void>) | undefined> | null;
      if (!prototype) return [];
      return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
        const name = Reflect.getMetadata(SWEEP, prototype[method] as object) as string | undefined;
        return name === undefined ? [] : [new OneAtATime(name, prototype[method]!.bind(instance))];
      });
    });
  }
}

/** A sweep of which no two runs overlap in this process. */
class OneAtATime {
  /** The active run. */
  running: Promise<void> | null = null;

  constructor(
    readonly name: string,
    private readonly sweep: () => Promise<void>,
  ) {}

  start(): Promise<void> {
    this.running = this.sweep().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async runAfterCurrent(): Promise<void> {
    // A failure of that run is reported to its caller.
    while (this.running) await this.running.catch(() => undefined);
    await this.start();
  }
}
