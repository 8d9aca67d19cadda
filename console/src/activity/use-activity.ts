import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { AuditEntryBody, EventBody, ExportBody, SheetImportBody, SheetOperationBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { isUnderWay } from '../settings/exports';
import { type Entry, mergeEntries, tellOnce } from './timeline';

export const KINDS = {
  operations: 'Calculations',
  imports: 'Imports',
  exports: 'Exports',
  deliveries: 'Webhook deliveries',
  audit: 'Changes',
  events: 'Events',
};
/** Kinds that every key may read. */
const OPEN: Kind[] = ['operations', 'imports', 'exports'];
export type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

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
  const path = useHere();
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
  return { deliveries, audit, events };
}

/** The activity of the workspace, as far as it was read. `only` is a kind, or empty for all. */
export function useActivity(only: Kind | '') {
  const isAdmin = useMay('ADMIN');
  const wants = (kind: Kind) => (only === '' || only === kind) && (OPEN.includes(kind) || isAdmin);
  const lists = { ...useOpenLists(wants), ...useAdminLists(wants) };
  const wanted = KIND_NAMES.filter(wants).map((kind) => lists[kind]);
  return {
    happenings: tellOnce(mergeEntries(KIND_NAMES.filter(wants).map((kind) => sourceOf(kind, lists[kind])))),
    error: wanted.find(({ error }) => error)?.error ?? null,
    isFetchingNextPage: wanted.some(({ isFetchingNextPage }) => isFetchingNextPage),
    isPending: wanted.some(({ isPending }) => isPending),
    hasNextPage: wanted.some(({ hasNextPage }) => hasNextPage),
    fetchNextPage: () => Promise.all(wanted.filter((list) => list.hasNextPage).map((list) => list.fetchNextPage())),
    refetch: () => Promise.all(wanted.map((list) => list.refetch())),
  };
}

/** The fields with the id and the time of an entry. */
const FACTS: Record<Kind, [id: string, time: string]> = {
  operations: ['operation_id', 'created_at'],
  imports: ['operation_id', 'created_at'],
  exports: ['id', 'created_at'],
  deliveries: ['id', 'created_at'],
  audit: ['id', 'occurred_at'],
  events: ['id', 'timestamp'],
};

function sourceOf(kind: Kind, list: { items: object[]; hasNextPage: boolean }) {
  const [id, time] = FACTS[kind];
  const entries = list.items.map((item) => {
    const facts = item as Record<string, string>;
    return { key: `${kind} ${facts[id]}`, at: new Date(facts[time]!).toISOString(), kind, item };
  });
  return { entries: entries as unknown as Happening[], hasMore: list.hasNextPage };
}

/** Names of webhooks by id. Empty for keys that may not read webhooks. */
export function useWebhookNames(): Map<number, string> {
  const path = useHere();
  const { data } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => api(`GET ${WORKSPACE}/webhooks`, { path, signal }),
    enabled: useMay('ADMIN'),
  });
  return new Map(data?.webhooks.map(({ id, name, url }) => [id, name ?? url]));
}
