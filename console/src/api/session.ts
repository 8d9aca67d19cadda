import { hashKey, onlineManager, type Query, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ApiError, mayTryAgain, waitBeforeTry, whenSignedOut } from './client';
import type { SessionResponse } from './schema.gen';

/** `isOver`: the server no longer knows the session. The screens stay until somebody has signed in again. */
export type Session = SessionResponse & { isOver?: boolean };

/** An API key, or an e-mail address with a password. */
export type Credentials = { api_key: string } | { email: string; password: string };

const SESSION = ['session'];
/** Back shows cached data; older data are read again. */
const FRESH_MS = 15_000;

/** All tabs share the cookie. Each announces the identity that it has read or become, so that no other acts as it. */
const tabs = new BroadcastChannel('tracesheet.session');

function announce<S extends Session | null>(session: S): S {
  tabs.postMessage(session && identityOf(session));
  return session;
}

/** Cache of the server's data. Nothing is requested while the session is over. */
export function createQueries(): QueryClient {
  // A server on the same machine also answers while the browser is offline.
  onlineManager.setEventListener(() => undefined);
  const client = new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: mayTryAgain, retryDelay: waitBeforeTry, refetchOnWindowFocus: false },
    },
  });
  const end = () => {
    onlineManager.setOnline(false);
    client.setQueryData<Session | null>(SESSION, (known) => known && { ...known, isOver: true });
  };
  whenSignedOut(end);
  tabs.onmessage = ({ data: identity }: MessageEvent<string | null>) => {
    const known = client.getQueryData<Session | null>(SESSION);
    if (known && identityOf(known) !== identity) end();
  };
  return client;
}

/** Key that is equal for sessions of the same user or API key in the same workspace. */
export function identityOf({ workspace, user, api_key: key }: Session): string {
  return `${workspace.id}:${user ? `user ${user.id}` : `key ${key?.id}`}`;
}

/** The name of the user or the key, to show. */
export function nameOf({ user, api_key: key }: Session): string {
  return user ? (user.name ?? user.email) : `${key?.name ?? 'Key'} …${key?.last_4}`;
}

/** Null for somebody who has not signed in. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: ({ signal }) => readSession(signal), staleTime: Infinity });
}

async function readSession(signal?: AbortSignal): Promise<Session | null> {
  try {
    return announce(await api('GET /console/session', { signal }));
  } catch (error) {
    if (isSignedOut(error)) return announce(null);
    throw error;
  }
}

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

export function useSigning() {
  const client = useQueryClient();
  const become = (session: Session | null) => {
    const before = client.getQueryData<Session | null>(SESSION);
    onlineManager.setOnline(true);
    client.setQueryData(SESSION, announce(session));
    const others = { predicate: ({ queryHash }: Query) => queryHash !== hashKey(SESSION) };
    // The same user or key goes on where it was. Data of another one are removed.
    if (session && before && identityOf(session) === identityOf(before)) void client.invalidateQueries(others);
    else client.removeQueries(others);
  };
  return {
    /** `mayReplace` is asked before another user replaces the one who was signed in. */
    signIn: async (given: Credentials, mayReplace: () => Promise<boolean>) => {
      const before = client.getQueryData<Session | null>(SESSION);
      // Also where it may not replace the one before: the cookie is already that of the new session.
      const session = announce(await begin(given, before?.workspace.id));
      const isOther = before && identityOf(before) !== identityOf(session);
      if (isOther && !(await mayReplace())) throw new Error('Sign in as before to keep your changes.');
      become(session);
    },
    /** Accepts an invitation. */
    accept: async (body: { token: string; name: string | null; password: string }) => {
      become(await api('POST /console/invitation/accept', { body }));
    },
    changeWorkspace: async (id: number) => {
      const path = { workspace_id: id };
      become(await api('POST /console/session/workspace/{workspace_id}', { path }));
    },
    /** Signs in by a link that the operator has made. */
    signInByLink: async (token: string) => {
      become(await api('POST /console/sign-in-link', { body: { token } }));
    },
    /** Continues after somebody has signed in in another tab; `mayReplace` as above. */
    resume: async (mayReplace: () => Promise<boolean>) => {
      const before = client.getQueryData<Session | null>(SESSION);
      const session = await readSession();
      if (!session || !before?.isOver) return;
      if (identityOf(before) === identityOf(session) || (await mayReplace())) become(session);
    },
    signOut: async () => {
      const url = await endSession();
      // The identity provider ends its session on a page of its own, which leads back.
      if (url) location.assign(url);
      else become(null);
    },
  };
}

/** Ends the session, which may have ended before. Returns the page on which the identity provider ends its own. */
async function endSession(): Promise<string | null> {
  try {
    return (await api('DELETE /console/session')).logout_url ?? null;
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

/** A user whose session has ended continues in the same workspace. */
function begin(given: Credentials, workspaceId: number | undefined): Promise<SessionResponse> {
  if ('api_key' in given) return api('POST /console/session', { body: given });
  return api('POST /console/sign-in', { body: { ...given, workspace_id: workspaceId ?? null } });
}
