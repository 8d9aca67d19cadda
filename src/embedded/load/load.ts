import 'reflect-metadata';
import os from 'node:os';
import { asksForHelp } from '../../platform/start-arguments.js';
import { StartError } from '../../platform/start-error.js';
import { ApiClient } from '../api-client.js';
import { type LoadOptions, readLoadOptions, USAGE } from './load-options.js';
import { computeCells, type LoadResult, search, sendSpans } from './loads.js';
import { startOwnProcesses } from './own-processes.js';

/** A column takes a second or less, and a busy server is measured as well. */
const WAITING = { pollMs: 50, waitLimitMs: 600_000 };

/** Measures the throughput of an installation per second. */
async function run(options: LoadOptions): Promise<void> {
  const { urls, apis, workers } = options;
  if (urls) {
    console.log(`${urls.length} server(s): ${urls.join(', ')}`);
    return measure(new ApiClient(urls, options.apiKey, WAITING), options);
  }
  const own = await startOwnProcesses({ api: apis, worker: workers });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void own.stop().finally(() => process.exit(1)));
  }
  try {
    const cpus = `${os.cpus().length} cores that clients and services share`;
    console.log(`${apis} api and ${workers} worker process(es), ${cpus}`);
    await measure(new ApiClient(own.urls, own.apiKey, WAITING), options);
  } finally {
    await own.stop();
  }
}

async function measure(client: ApiClient, { seconds, clients, workers }: LoadOptions): Promise<void> {
  report('spans', await sendSpans(client, { seconds, clients }));
  report('searches', await search(client, { seconds, clients }));
  report('cells', await computeCells(client, 2 * workers));
}

/** Latencies are those of requests; for cells, of whole columns. */
function report(what: string, { perSecond, latencies }: LoadResult): void {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)} ms`;
  console.log(
    `${what.padEnd(9)} ${Math.round(perSecond).toLocaleString('en-US').padStart(8)} /s   p50 ${at(0.5)}   p95 ${at(0.95)}`,
  );
}

try {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) console.log(USAGE);
  else await run(readLoadOptions(args, process.env));
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
