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
 * Marks a method that looks for work nobody is working on (a lost queue message, a dead worker) and takes it up again.
 * Workers call it at start and then every SWEEP_INTERVAL_MS. It must be safe to run in several workers at once.
 */
export const Sweep = (): MethodDecorator => SetMetadata(SWEEP, true);

/** Runs every `@Sweep()` method of the application's providers, one run of each at a time. */
@Injectable()
export class SweepRunner implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger('Sweep');
  private readonly running = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const sweeps = this.find().map((sweep) => this.oneAtATime(sweep));
    const runAll = () => sweeps.forEach((sweep) => sweep());
    runAll();
    this.timer = setInterval(runAll, this.config.sweepIntervalMs);
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
  }

  private find(): (() => Promise<void>)[] {
    const instances = this.discovery.getProviders().flatMap(({ instance }) => (instance ? [instance as object] : []));
    return instances.flatMap((instance) => {
      const prototype = Object.getPrototypeOf(instance) as Record<string, (() => Promise<void>) | undefined> | null;
      if (!prototype) return [];
      const names = this.scanner.getAllMethodNames(prototype);
      return names
        .filter((name) => Reflect.getMetadata(SWEEP, prototype[name] as object) === true)
        .map((name) => prototype[name]!.bind(instance));
    });
  }

  private oneAtATime(sweep: () => Promise<void>): () => void {
    let busy = false;
    return () => {
      if (busy) return;
      busy = true;
      const run = sweep()
        .catch((error: unknown) => this.log.warn(`A sweep failed and will run again: ${String(error)}`))
        .finally(() => {
          busy = false;
          this.running.delete(run);
        });
      this.running.add(run);
    };
  }
}
