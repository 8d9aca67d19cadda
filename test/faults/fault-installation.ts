import pg from 'pg';
import { ApiClient } from '../support/api-client.js';
import { PATIENT } from '../support/patient.js';
import { Installation, type ProductProcess } from '../support/server-processes.js';
import { testFolder } from '../support/services.js';
import { until } from '../support/until.js';

/** Leases of a dead worker are ended by `endLeases`. */
export const LEASE_MS = Number(PATIENT.LEASE_MS);
/** For tests in which work is left to its lease: PostgreSQL does not run, or a statement of the test holds a lock. */
export const SHORT_LEASES = { LEASE_MS: '5000' };
/** Lost notifications are noticed soon. */
const ENV = { ...PATIENT, SWEEP_INTERVAL_MS: '400' };

export interface FaultInstallation {
  server: Installation;
  client: ApiClient;
  api: ProductProcess;
}

/** The product with a running api and no worker yet. `env` is for all its processes. */
export async function startFaultInstallation(env: Record<string, string> = {}): Promise<FaultInstallation> {
  const server = await Installation.create({ folder: testFolder(), env: { ...ENV, ...env } });
  const api = await server.start('api');
  return { server, api, client: new ApiClient(server.url, server.apiKey) };
}

/** Waits until no statement of the product runs, not even one that a dead process has sent. */
export async function untilDatabaseIdle({ databaseUrl }: Installation): Promise<void> {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  const busy = `SELECT FROM pg_stat_activity WHERE application_name = 'tracesheet' AND state <> 'idle'`;
  await until(async () => (await db.query(busy)).rowCount === 0);
  await db.end();
}

/** Ends all leases, as time would: work of a dead worker can be claimed, and a living one renews its leases. */
export async function endLeases(server: Installation): Promise<void> {
  // A statement of the dead worker may still renew a lease.
  await untilDatabaseIdle(server);
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  const { rows } = await db.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'lease_until'`,
  );
  for (const { name } of rows) await db.query(`UPDATE ${name} SET lease_until = now() WHERE lease_until > now()`);
  await db.end();
}

/**
 * The one worker of an installation: the one of the test before as long as it runs, as starting one takes seconds. A
 * new one can claim what the one before has left.
 */
export class OneWorker {
  private worker: ProductProcess | null = null;

  constructor(private readonly server: () => Installation) {}

  async running(): Promise<ProductProcess> {
    if (this.worker?.isRunning) return this.worker;
    if (this.worker) await endLeases(this.server());
    return (this.worker = await this.server().start('worker'));
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
