export { idInPath } from '../ui/address';
import { withScope } from '../shell/scope';
import { oneLine } from '../ui/format';

/** Filters of links to lists of traces. They apply to every origin. */
export interface Wanted {
  user?: string;
  session?: string;
  model?: string;
  tool?: string;
  tag?: string;
}

/** The path is `/conversations`, because `/sessions` below the console is an endpoint for a person's sign-ins. */
export const sessionPath = (id: string): string => `/conversations/${encodeURIComponent(id)}`;
export const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;
export const tracePath = (id: string): string => `/traces/${encodeURIComponent(id)}`;

export const tracesWith = (wanted: Wanted): string =>
  withScope(`/traces?${new URLSearchParams({ ...wanted }).toString()}`, { origin: 'all', env: '' });

/** The last question in an input, which may have earlier messages before it. */
export const questionIn = (input: string | null): string => oneLine((input ?? '').replace(/^.*\[user\]: /s, ''));

/** The session that the metadata of a call names. */
export const sessionIn = (metadata: Record<string, string>): string | null =>
  [metadata.conversation_id, metadata.session_id].find((id) => id !== undefined && id.trim() !== '') ?? null;
