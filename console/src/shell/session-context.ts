import { createContext, use } from 'react';
import type { Session } from '../api/session';

export const SessionContext = createContext<Session | null>(null);

/** Who is signed in. Only below the shell. */
export function useMe(): Session {
  return use(SessionContext)!;
}

/** What is administered of a workspace is below this path. */
export const WORKSPACE = '/api/admin/v1/workspaces/{workspace_id}';

/** Fills in the path of the workspace. */
export function useHere(): { workspace_id: number } {
  return { workspace_id: useMe().workspace.id };
}
