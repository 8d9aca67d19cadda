import { ApiClient } from './api-client.js';
import type { Installation } from './server-processes.js';

/** An installation whose workspaces `createWorkspace` creates needs it in its environment. */
export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export interface NewWorkspace {
  id: number;
  apiKey: string;
  client: ApiClient;
}

/** A new workspace and a client with a key of its own to it. */
export async function createWorkspace(server: Installation, name: string): Promise<NewWorkspace> {
  const operator = new ApiClient(server.url, '', { authorization: `Bearer ${ADMIN_TOKEN}` });
  const { workspace } = await operator.post<{ workspace: { id: number } }>('/api/admin/v1/workspaces', { name });
  const keys = `/api/admin/v1/workspaces/${workspace.id}/api-keys`;
  const { secret } = await operator.post<{ secret: string }>(keys, { role: 'admin' });
  return { id: workspace.id, apiKey: secret, client: new ApiClient(server.url, secret) };
}
