import { onlineManager, type Query, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ApiError, mayTryAgain, waitBeforeTry, whenSignedOut } from './client';
import type { SessionResponse } from './schema.gen';

/** `isOver`: the server does not know it any more. The screens stay until somebody has signed in again. */
export type Session = SessionResponse & { isOver?: boolean };

const SESSION = ['session'];
/** Going back shows what was there; what is older is asked for again. */
const FRESH_MS = 15_000;

/** All data of the server. Nothing is asked for while the session is over. */
export function createQueries(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: mayTryAgain, retryDelay: waitBeforeTry, refetchOnWindowFocus: false },
    },
  });
  whenSignedOut(() => {
    onlineManager.setOnline(false);
    client.setQueryData<Session | null>(SESSION, (known) => known && { ...known, isOver: true });
  });
  return client;
}

/** Null for somebody who has not signed in. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: ({ signal }) => readSession(signal), staleTime: Infinity });
}

async function readSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return await api('GET /console/session', { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export function useSigning() {
  const client = useQueryClient();
  const become = (session: Session | null) => {
    const before = client.getQueryData<Session | null>(SESSION);
    onlineManager.setOnline(true);
    client.setQueryData(SESSION, session);
    const others = { predicate: ({ queryKey }: Query) => queryKey[0] !== SESSION[0] };
    // The same key goes on where it was. Data of another key are removed.
    if (session && session.api_key.id === before?.api_key.id) void client.invalidateQueries(others);
    else client.removeQueries(others);
  };
  return {
    /** `mayReplace` is asked before somebody else takes the place of whoever was signed in. */
    signIn: async (key: string, mayReplace: () => Promise<boolean>) => {
      const before = client.getQueryData<Session | null>(SESSION);
      const session = await api('POST /console/session', { body: { api_key: key } });
      const isOther = before && before.api_key.id !== session.api_key.id;
      if (isOther && !(await mayReplace())) throw new Error('Sign in with the previous key to keep your changes.');
      become(session);
    },
    signOut: async () => {
      await api('DELETE /console/session');
      become(null);
    },
  };
}
