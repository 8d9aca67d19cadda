import type { Client } from './client.js';

export const CREDENTIALS = '/api/admin/v1/workspaces/1/model-credentials';

export interface ModelCredential {
  id: number;
  provider: string;
  name: string;
  base_url: string | null;
  last_4: string;
  options: Record<string, string>;
  max_concurrency: number | null;
}

/** A credential of the first workspace. */
export async function addCredential(client: Client, body: object): Promise<ModelCredential> {
  const given = { name: 'default', secret: 'sk-test-0123456789', ...body };
  return ((await client.post(CREDENTIALS, given, 201)) as { model_credential: ModelCredential }).model_credential;
}
