import { createContext, use } from 'react';
import type { Session } from '../api/session';

export const SessionContext = createContext<Session | null>(null);

/** Who is signed in. Only below the shell. */
export function useMe(): Session {
  return use(SessionContext)!;
}
