import { withScope } from '../shell/scope';
import { oneLine } from '../ui/format';

/** Filters with which links show traces. Whoever made them: a name says what is meant. */
export interface Wanted {
  user?: string;
  session?: string;
  model?: string;
  tool?: string;
  tag?: string;
}

/** `/sessions` below the console answers the sign-ins of a person. */
export const sessionPath = (id: string): string => `/conversations/${encodeURIComponent(id)}`;
export const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;
export const tracePath = (id: string): string => `/traces/${encodeURIComponent(id)}`;

export const tracesWith = (wanted: Wanted): string =>
  withScope(`/traces?${new URLSearchParams({ ...wanted }).toString()}`, { origin: 'all', env: '' });

/** The question of a person, of an input that may have messages before it. */
export const questionIn = (input: string | null): string => oneLine((input ?? '').replace(/^.*\[user\]: /s, ''));

/** The id at the end of the path. The router decodes a "%" of an id twice, so this reads what the address has. */
export const idInPath = (): string => decodeURIComponent(window.location.pathname.split('/').at(-1) ?? '');

/** The session that the metadata of a call names. */
export const sessionIn = (metadata: Record<string, string>): string | null =>
  [metadata.conversation_id, metadata.session_id].find((id) => id !== undefined && id.trim() !== '') ?? null;
