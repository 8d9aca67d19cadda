import { QueryCache, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ApiError, mayTryAgain, waitBeforeTry } from './client';
import type { SessionResponse } from './schema.gen';

export type Session = SessionResponse;

const SESSION = ['session'];
/** Going back shows what was there; what is older is asked for again. */
const FRESH_MS = 15_000;

/** All data of the server. A session that is over is noticed by whatever is asked next. */
export function createQueries(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiError && error.status === 401) client.setQueryData(SESSION, null);
      },
    }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: mayTryAgain, retryDelay: waitBeforeTry, refetchOnWindowFocus: false },
    },
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
    client.setQueryData(SESSION, session);
    // What somebody else has seen here is not for whoever comes next.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  };
  return {
    signIn: async (key: string) => become(await api('POST /console/session', { body: { api_key: key } })),
    signOut: async () => {
      await api('DELETE /console/session');
      become(null);
    },
  };
}
