import { ApiClient } from '../support/api-client.js';
import { Installation, type ProductProcess } from '../support/server-processes.js';
import { testFolder } from '../support/services.js';

/**
 * Short leases and sweeps: claims of dead workers and lost notifications are noticed soon, and the tests need not wait
 * for the limits of production. On a busy machine a process may pause for seconds, and must still renew its leases in
 * time.
 */
export const LEASE_MS = 5000;
const IMPATIENT = { LEASE_MS: String(LEASE_MS), SWEEP_INTERVAL_MS: '400' };

export interface FaultInstallation {
  server: Installation;
  client: ApiClient;
  api: ProductProcess;
}

/** The product with a running api and no worker yet. `env` is for all its processes. */
export async function startFaultInstallation(env: Record<string, string> = {}): Promise<FaultInstallation> {
  const server = await Installation.create({ folder: testFolder(), env: { ...IMPATIENT, ...env } });
  const api = await server.start('api');
  return { server, api, client: new ApiClient(server.url, server.apiKey) };
}

/** The one worker of an installation: the one of the test before as long as it runs, as starting one takes seconds. */
export class OneWorker {
  private worker: ProductProcess | null = null;

  constructor(private readonly server: () => Installation) {}

  async running(): Promise<ProductProcess> {
    if (!this.worker?.isRunning) this.worker = await this.server().start('worker');
    return this.worker;
  }
}

/**
 * Polls without a pause until the progress lies strictly between 0 (or `above`) and the total: the next step of the
 * test then happens in the middle of the work. Fails when the work is done before.
 */
export async function inTheMiddle(
  progress: () => Promise<{ completed: number; total: number }>,
  above = 0,
): Promise<number> {
  for (;;) {
    const { completed, total } = await progress();
    if (completed === total) throw new Error(`All ${total} were done before anything could go wrong.`);
    if (completed > above) return completed;
  }
}
