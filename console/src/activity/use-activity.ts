import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { AuditEntryBody, EventBody, ExportBody, SheetImportBody, SheetOperationBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { isUnderWay } from '../settings/exports';
import { type Entry, mergeEntries } from './timeline';

export const KINDS = {
  operations: 'Calculations',
  imports: 'Imports',
  exports: 'Exports',
  deliveries: 'Webhook deliveries',
  audit: 'Changes',
  events: 'Events',
};
/** What every key may see. */
const OPEN: Kind[] = ['operations', 'imports', 'exports'];
export type Kind = keyof typeof KINDS;

export type Delivery = AnswerOf<'GET /api/admin/v1/workspaces/{workspace_id}/webhook-deliveries'>['data'][number];

export type Happening = Entry &
  (
    | { kind: 'operations'; item: SheetOperationBody }
    | { kind: 'imports'; item: SheetImportBody }
    | { kind: 'exports'; item: ExportBody }
    | { kind: 'deliveries'; item: Delivery }
    | { kind: 'audit'; item: AuditEntryBody }
    | { kind: 'events'; item: EventBody }
  );

const LIMIT = 30;

type Wants = (kind: Kind) => boolean;

function useOpenLists(wants: Wants) {
  const operations = useCursorList(
    ['operations'],
    (cursor, signal) => api('GET /api/public/v2/sheet-operations', { query: { cursor, limit: LIMIT }, signal }),
    { enabled: wants('operations'), isUnderWay, fed: true },
  );
  const imports = useCursorList(
    ['imports'],
    (cursor, signal) => api('GET /api/public/v2/sheet-imports', { query: { cursor, limit: LIMIT }, signal }),
    { enabled: wants('imports'), isUnderWay, fed: true },
  );
  const exports = useCursorList(
    ['exports', 'activity'],
    (cursor, signal) => api('GET /api/public/v2/exports', { query: { cursor, limit: LIMIT }, signal }),
    { enabled: wants('exports'), isUnderWay, fed: true, told: 'export' },
  );
  return { operations, imports, exports };
}

function useAdminLists(wants: Wants) {
  const path = { workspace_id: useMe().workspace.id };
  const deliveries = useCursorList(
    ['deliveries', 'activity'],
    (cursor, signal) =>
      api('GET /api/admin/v1/workspaces/{workspace_id}/webhook-deliveries', {
        path,
        query: { cursor, limit: LIMIT },
        signal,
      }),
    { enabled: wants('deliveries'), isUnderWay: ({ status }) => status === 'pending', fed: true },
  );
  const audit = useCursorList(
    ['audit'],
    (cursor, signal) =>
      api('GET /api/admin/v1/workspaces/{workspace_id}/audit-entries', {
        path,
        query: { cursor, limit: LIMIT },
        signal,
      }),
    { enabled: wants('audit'), fed: true },
  );
  const events = useCursorList(
    ['events'],
    (cursor, signal) =>
      api('GET /api/admin/v1/workspaces/{workspace_id}/events', {
        path,
        query: { cursor, limit: LIMIT, order: 'desc' },
        signal,
      }),
    { enabled: wants('events'), fed: true },
  );
  return { deliveries, audit, events };
}

/** Everything that happens in the workspace, as far as it was read; `only` a kind, or empty for all. */
export function useActivity(only: Kind | '') {
  const isAdmin = useMay('ADMIN');
  const wants = (kind: Kind) => (only === '' || only === kind) && (OPEN.includes(kind) || isAdmin);
  const lists = { ...useOpenLists(wants), ...useAdminLists(wants) };
  const { operations, imports, exports, deliveries, audit, events } = lists;
  const wanted = (Object.keys(lists) as Kind[]).filter(wants).map((kind) => lists[kind]);
  const sources = [
    sourceOf('operations', wants('operations'), operations, ({ operation_id, created_at }) => [
      operation_id,
      created_at,
    ]),
    sourceOf('imports', wants('imports'), imports, ({ operation_id, created_at }) => [operation_id, created_at]),
    sourceOf('exports', wants('exports'), exports, ({ id, created_at }) => [id, created_at]),
    sourceOf('deliveries', wants('deliveries'), deliveries, ({ id, created_at }) => [id, created_at]),
    sourceOf('audit', wants('audit'), audit, ({ id, occurred_at }) => [id, occurred_at]),
    sourceOf('events', wants('events'), events, ({ id, timestamp }) => [id, timestamp]),
  ];
  return {
    happenings: mergeEntries(sources),
    error: wanted.find(({ error }) => error)?.error ?? null,
    isFetchingNextPage: wanted.some(({ isFetchingNextPage }) => isFetchingNextPage),
    isPending: wanted.some(({ isPending }) => isPending),
    hasNextPage: wanted.some(({ hasNextPage }) => hasNextPage),
    fetchNextPage: () => Promise.all(wanted.filter((list) => list.hasNextPage).map((list) => list.fetchNextPage())),
    refetch: () => Promise.all(wanted.map((list) => list.refetch())),
  };
}

function sourceOf<K extends Kind, T>(
  kind: K,
  isWanted: boolean,
  list: { items: T[]; hasNextPage: boolean },
  facts: (item: T) => [id: string | number, at: string],
) {
  if (!isWanted) return { entries: [], hasMore: false };
  const entries = list.items.map((item) => {
    const [id, at] = facts(item);
    return { key: `${kind} ${id}`, at: new Date(at).toISOString(), kind, item };
  });
  return { entries: entries as unknown as Happening[], hasMore: list.hasNextPage };
}

/** The names of webhooks by their numbers; nothing for keys that may not see them. */
export function useWebhookNames(): Map<number, string> {
  const { workspace } = useMe();
  const { data } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) =>
      api('GET /api/admin/v1/workspaces/{workspace_id}/webhooks', { path: { workspace_id: workspace.id }, signal }),
    enabled: useMay('ADMIN'),
  });
  return new Map(data?.webhooks.map(({ id, name, url }) => [id, name ?? url]));
}
