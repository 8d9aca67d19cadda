import type { Answer, Client } from './client.js';
import { until } from './until.js';

export const EXPORTS = '/api/public/v2/exports';

export interface ExportAnswer {
  id: string;
  status: string;
  progress: number;
  row_count: number;
  total: number | null;
  bytes: number;
  sha256: string | null;
  error_message: string | null;
  columns: string[];
  expires_at: string | null;
  status_url: string;
  download_url: string;
}

export async function startExport(client: Client, body: object): Promise<ExportAnswer> {
  const started = (await client.post(EXPORTS, body, 202)) as { export: ExportAnswer };
  return started.export;
}

export async function readExport(client: Client, { status_url: path }: ExportAnswer): Promise<ExportAnswer> {
  return ((await client.get(path)) as { export: ExportAnswer }).export;
}

/** Starts an export and waits for its end, whatever that is. */
export async function finishedExport(client: Client, body: object): Promise<ExportAnswer> {
  let known = await startExport(client, body);
  await until(async () => {
    known = await readExport(client, known);
    return !['queued', 'running'].includes(known.status);
  });
  return known;
}

/** Exports and gives the answer that has the file. */
export async function download(client: Client, body: object): Promise<Answer & { export: ExportAnswer }> {
  const done = await finishedExport(client, body);
  if (done.status !== 'completed') throw new Error(`The export is ${done.status}: ${done.error_message}`);
  return { ...(await client.request('GET', done.download_url)), export: done };
}

/** The objects of a file of JSON lines. */
export const lines = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
