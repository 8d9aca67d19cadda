import { IngestionService } from '../../src/traces/ingestion/ingestion.service.js';
import type { Answer } from './client.js';
import { send, span } from './otlp.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

/** Sends requests with spans, one after the other, that the server stores in one batch; gives their answers. */
export async function inOneBatch(app: TestApp, requests: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const waiting = app.app.get(IngestionService)['commits']['queue'];
  const answers: Promise<Answer>[] = [];
  await app.inTransaction(async (sql) => {
    // Storing a batch ends with a receipt, so the lock holds up the first batch while the next one fills.
    await sql('LOCK TABLE ingest_receipts IN SHARE ROW EXCLUSIVE MODE');
    answers.push(send(app.client, [span()]));
    await until(async () => (await app.sql(WAITING)).length > 0);
    for (const request of requests) {
      const before = waiting.length;
      answers.push(request());
      await until(() => Promise.resolve(waiting.length > before));
    }
  });
  const [, ...others] = await Promise.all(answers);
  return others;
}

/** Batches that are held up so. */
export const WAITING = `SELECT FROM pg_locks WHERE relation = 'ingest_receipts'::regclass AND NOT granted`;
