import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { loadExtensions } from './extensions.js';
import { loadConfig } from './composition.js';
import { createLogger, NestLogger } from './platform/telemetry/logger.js';
import { openWorkerPort, WorkerServer } from './platform/telemetry/worker-server.js';
import { failToStart, runProcess } from './process.js';
import { takeNoArguments } from './platform/start-arguments.js';

const USAGE = `Usage: npm run start:worker

Starts one worker process, which computes with the services in DATABASE_URL and REDIS_URL. It answers about itself on WORKER_PORT where
that is set. Settings are environment variables: docs/reference/configuration.md.`;

async function main(): Promise<void> {
  takeNoArguments(USAGE);
  const config = loadConfig(process.env);
  await runProcess('worker', config, async () => {
    const extensions = await loadExtensions(config.extensions);
    // Before the modules start, which claim work: a process that cannot have its port must not take any.
    const port = await openWorkerPort(config);
    const app = await NestFactory.createApplicationContext(AppModule.with({ config, works: true, extensions }), {
      logger: new NestLogger(createLogger(config.logLevel)),
    });
    if (port) app.get(WorkerServer).serve(port);
    return app;
  });
}

main().catch(failToStart);
