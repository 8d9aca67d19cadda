import 'reflect-metadata';
import { createApp } from './app.js';
import { loadExtensions } from './extensions.js';
import { loadConfig } from './composition.js';
import { listenFailure } from './platform/listen-failure.js';
import { failToStart, runProcess } from './process.js';
import { takeNoArguments } from './platform/start-arguments.js';

const USAGE = `Usage: npm run start:api

Starts one api process, which serves the API and the console on PORT, with the services in DATABASE_URL and REDIS_URL. The database has
to be migrated (npm run migration:run), and workers compute (npm run start:worker). Settings are environment variables:
docs/reference/configuration.md.`;

async function main(): Promise<void> {
  takeNoArguments(USAGE);
  const config = loadConfig(process.env);
  await runProcess('api', config, async () => {
    const app = await createApp({ config, works: false, extensions: await loadExtensions(config.extensions) });
    const { host, port } = config;
    await app.listen(port, host).catch((error: NodeJS.ErrnoException) => {
      throw listenFailure(error, { host, port, choosePort: (other) => `PORT=${other}` });
    });
    return app;
  });
}

main().catch(failToStart);
