import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Installation } from '../support/server-processes.js';

/** Loops that a worker runs at once. */
const LOOPS = 4;
const BUILT = path.resolve(import.meta.dirname, '../../dist/src');

/**
 * The computation engine of the built product in this process, called in a plain loop without notifications and queues.
 * It is wired as in a worker, but under a separate prefix in Redis.
 */
export class DirectEngine {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly drain: () => Promise<void>,
  ) {}

  static async start({ databaseUrl, redisUrl }: Installation): Promise<DirectEngine> {
    const { AppModule } = await built<typeof import('../../src/app.module.js')>('app.module.js');
    const { loadConfig } = await built<typeof import('../../src/composition.js')>('composition.js');
    const { FormulaWork } = await built<typeof import('../../src/grid/computing/formula-work.js')>(
      'grid/computing/formula-work.js',
    );
    const { WorkRunner } =
      await built<typeof import('../../src/platform/work/work-runner.js')>('platform/work/work-runner.js');
    const config = loadConfig({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: 'direct',
      // A sweep would notify its own queue of waiting tasks.
      SWEEP_INTERVAL_MS: '3600000',
    });
    const app = await NestFactory.createApplicationContext(AppModule.with({ config, works: true }), { logger: false });
    const runner = app.get(WorkRunner, { strict: false });
    const formulas = app.get(FormulaWork, { strict: false });
    return new DirectEngine(app, () => runner.drain(formulas));
  }

  /** Computes until no task is left to claim. */
  async compute(): Promise<void> {
    await Promise.all(Array.from({ length: LOOPS }, () => this.drain()));
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

/** A module as the worker loads it: Vitest would compile the source in its own way, which runs more slowly. */
async function built<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(path.join(BUILT, file)).href)) as T;
}
