import { createContext, use } from 'react';
import type { Session } from '../api/session';

export const SessionContext = createContext<Session | null>(null);

/** The session of the signed-in user or key. Only available below the shell. */
export function useMe(): Session {
  return use(SessionContext)!;
}

/** Base path of the administration of a workspace. */
export const WORKSPACE = '/api/admin/v1/workspaces/{workspace_id}';

/** Fills in the path of the workspace. */
export function useHere(): { workspace_id: number } {
  return { workspace_id: useMe().workspace.id };
}
