import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { AuditEntryBody, EventBody, ExportBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { isUnderWay } from '../settings/exports';
import { type Entry, mergeEntries } from './timeline';

export const KINDS = { exports: 'Exports', deliveries: 'Webhook deliveries', audit: 'Changes', events: 'Events' };
export type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

export type Delivery = AnswerOf<'GET /api/admin/v1/workspaces/{workspace_id}/webhook-deliveries'>['data'][number];

export type Happening = Entry &
  (
    | { kind: 'exports'; item: ExportBody }
    | { kind: 'deliveries'; item: Delivery }
    | { kind: 'audit'; item: AuditEntryBody }
    | { kind: 'events'; item: EventBody }
  );

const LIMIT = 30;

/** Everything that happens in the workspace, as far as it was read; `only` a kind, or empty for all. */
export function useActivity(only: Kind | '') {
  const path = useHere();
  const isAdmin = useMay('ADMIN');
  const wants = (kind: Kind) => (only === '' || only === kind) && (kind === 'exports' || isAdmin);
  const exports = useCursorList(
    ['exports', 'activity'],
    (cursor, signal) => api('GET /api/public/v2/exports', { query: { cursor, limit: LIMIT }, signal }),
    { enabled: wants('exports'), isUnderWay, fed: true, told: 'export' },
  );
  const deliveries = useCursorList(
    ['deliveries', 'activity'],
    (cursor, signal) => api(`GET ${WORKSPACE}/webhook-deliveries`, { path, query: { cursor, limit: LIMIT }, signal }),
    { enabled: wants('deliveries'), isUnderWay: ({ status }) => status === 'pending', fed: true },
  );
  const audit = useCursorList(
    ['audit'],
    (cursor, signal) => api(`GET ${WORKSPACE}/audit-entries`, { path, query: { cursor, limit: LIMIT }, signal }),
    { enabled: wants('audit'), fed: true },
  );
  const events = useCursorList(
    ['events'],
    (cursor, signal) =>
      api(`GET ${WORKSPACE}/events`, { path, query: { cursor, limit: LIMIT, order: 'desc' }, signal }),
    { enabled: wants('events'), fed: true },
  );
  const lists = { exports, deliveries, audit, events };
  const wanted = KIND_NAMES.filter(wants).map((kind) => lists[kind]);
  return {
    happenings: mergeEntries(KIND_NAMES.filter(wants).map((kind) => sourceOf(kind, lists[kind]))),
    error: wanted.find(({ error }) => error)?.error ?? null,
    isFetchingNextPage: wanted.some(({ isFetchingNextPage }) => isFetchingNextPage),
    isPending: wanted.some(({ isPending }) => isPending),
    hasNextPage: wanted.some(({ hasNextPage }) => hasNextPage),
    fetchNextPage: () => Promise.all(wanted.filter((list) => list.hasNextPage).map((list) => list.fetchNextPage())),
    refetch: () => Promise.all(wanted.map((list) => list.refetch())),
  };
}

/** When something of a kind happened. */
const TIMES = { exports: 'created_at', deliveries: 'created_at', audit: 'occurred_at', events: 'timestamp' };

function sourceOf(kind: Kind, list: { items: { id: string | number }[]; hasNextPage: boolean }) {
  const entries = list.items.map((item) => {
    const at = (item as Record<string, unknown>)[TIMES[kind]] as string;
    return { key: `${kind} ${item.id}`, at: new Date(at).toISOString(), kind, item };
  });
  return { entries: entries as unknown as Happening[], hasMore: list.hasNextPage };
}

/** The names of webhooks by their numbers; nothing for keys that may not see them. */
export function useWebhookNames(): Map<number, string> {
  const path = useHere();
  const { data } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => api(`GET ${WORKSPACE}/webhooks`, { path, signal }),
    enabled: useMay('ADMIN'),
  });
  return new Map(data?.webhooks.map(({ id, name, url }) => [id, name ?? url]));
}
