import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Installation } from '../support/server-processes.js';

interface SheetKey {
  workspaceId: number;
  sheetId: string;
}

/** As much as a worker does at a time. */
const LOOPS = 4;
const BUILT = path.resolve(import.meta.dirname, '../../dist/src');

/**
 * The computation engine of the built product in this process, called in a plain loop: nobody rings, and it looks at no
 * queue. It is wired as in a worker, but under a prefix in Redis that nobody else uses.
 */
export class DirectEngine {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly runner: { runSome(sheet: SheetKey): Promise<boolean> },
  ) {}

  static async start({ databaseUrl, redisUrl }: Installation): Promise<DirectEngine> {
    const { AppModule } = await built<typeof import('../../src/app.module.js')>('app.module.js');
    const { loadConfig } =
      await built<typeof import('../../src/platform/config/config.js')>('platform/config/config.js');
    const { TaskRunner } = await built<typeof import('../../src/tables/grid/computing/task-runner.js')>(
      'tables/computation/task-runner.js',
    );
    const config = loadConfig({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: 'direct',
      // It would ring its own queue for whatever waits.
      SWEEP_INTERVAL_MS: '3600000',
    });
    const app = await NestFactory.createApplicationContext(AppModule.with({ config, works: true }), { logger: false });
    return new DirectEngine(app, app.get(TaskRunner, { strict: false }));
  }

  /** Computes until no task of the sheet is left to claim. */
  async compute(sheet: SheetKey): Promise<void> {
    const loop = async () => {
      while (await this.runner.runSome(sheet));
    };
    await Promise.all(Array.from({ length: LOOPS }, loop));
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

/** A module as the worker loads it: Vitest would compile the source in its own way, which runs more slowly. */
async function built<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(path.join(BUILT, file)).href)) as T;
}
