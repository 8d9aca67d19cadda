import type { Client } from './client.js';

export const REQUESTS = '/api/public/v2/requests';

/** A request log as it is read, as far as the tests look at it. */
export interface ReadLog {
  request_id: number;
  provider: string;
  model: string;
  api_type: string | null;
  status: string;
  error_type: string | null;
  error_message: string | null;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number | null;
  thinking_tokens: number | null;
  metadata: Record<string, string>;
  scores: { name: string; score: number }[];
  score: number | null;
  group_id: number | null;
  group_ids: number[];
  prompt_id: number | null;
  prompt_name: string | null;
  prompt_version_number: number | null;
  prompt_input_variables: Record<string, unknown>;
  price: number;
  priced: boolean;
  cache_write_tokens: number | null;
  prompt_blueprint: { prompt_template: Record<string, unknown> };
}

export async function readLog(client: Client, id: number): Promise<ReadLog> {
  return (await client.get(`${REQUESTS}/${id}`)) as ReadLog;
}

export async function createGroup(client: Client): Promise<number> {
  return ((await client.post('/create-group', {})) as { id: number }).id;
}
