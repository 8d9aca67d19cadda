import 'reflect-metadata';
import { createApp } from './app.js';
import { loadExtensions } from './extensions.js';
import { loadConfig } from './composition.js';
import { failToStart, runProcess } from './process.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  await runProcess('api', config, async () => {
    const app = await createApp({ config, works: false, extensions: await loadExtensions(config.extensions) });
    await app.listen(config.port, config.host);
    return app;
  });
}

main().catch(failToStart);
