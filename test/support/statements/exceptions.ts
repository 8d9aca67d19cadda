/** Statements that may be about several workspaces. */
interface Exception {
  /** Place of the code that sends them. */
  in: string;
  /** Pattern of the statements, when other statements of the same place must keep the rule. */
  says?: RegExp;
  because: string;
}

const TURN = 'It finds the workspace whose turn it is; what is claimed there is claimed by a statement of its own.';
const GAUGE = 'A gauge gives counts and ages over all workspaces, and nothing that belongs to one.';
const SWEEP = 'A sweep deletes what is old, whosoever it is.';

export const EXCEPTIONS: Exception[] = [
  { in: 'src/requests/search/projection.queries.ts', says: /^\s*WITH RECURSIVE waiting/, because: TURN },
  { in: 'src/text-search/segments/segments.queries.ts', says: /^\s*WITH left_ones/, because: SWEEP },
  { in: 'src/traces/search/trace-queue.queries.ts', says: /^\s*WITH RECURSIVE waiting/, because: TURN },
  { in: 'src/text-search/', says: /HAVING count/, because: TURN },
  { in: 'src/monitors/monitor-work.ts', says: /^\s*SELECT w\.workspace_id FROM monitors w/, because: TURN },
  { in: 'src/monitors/old-alerts.sweep.ts', says: /^\s*SELECT DISTINCT workspace_id/, because: TURN },
  { in: 'src/feeds/feed-wake.queries.ts', says: /^\s*SELECT DISTINCT w\.workspace_id/, because: TURN },
  { in: 'src/feeds/feed-lag.queries.ts', says: /^\s*SELECT DISTINCT w\.workspace_id/, because: TURN },
  { in: 'src/feeds/feed-expiry.ts', says: /^\s*SELECT DISTINCT w\.workspace_id/, because: TURN },
  { in: 'src/feeds/feed-orphans.ts', says: /^\s*SELECT DISTINCT w\.workspace_id/, because: TURN },
  { in: 'src/platform/work/row-work.ts', says: /ORDER BY w\.workspace_id <=/, because: TURN },
  { in: 'src/grid/computing/claim-cells.ts', says: /\) AS turns LIMIT 1$/, because: TURN },
  { in: 'src/webhooks/delivery-work.ts', says: /^\s*WITH RECURSIVE waiting/, because: TURN },
  { in: 'src/events/events.processor.ts', says: /^\s*WITH RECURSIVE w AS/, because: TURN },
  { in: 'src/rollups/add-up-hours.ts', says: /^\s*WITH RECURSIVE changed/, because: TURN },
  { in: 'src/retention/retention.sweep.ts', says: /FROM "retention_policies"/, because: TURN },
  {
    in: 'src/grid/composition/composition.processor.ts',
    says: /^\s*SELECT DISTINCT l\.workspace_id/,
    because: TURN,
  },
  { in: 'src/audit/audit-chain.queries.ts', says: /^\s*SELECT w\.id FROM \(SELECT id FROM workspaces/, because: TURN },
  { in: 'src/storage/storage.queries.ts', says: /^\s*SELECT w\.id FROM workspaces/, because: TURN },
  { in: 'src/skills/files/unused-contents.ts', says: /^\s*SELECT c\.workspace_id/, because: TURN },

  { in: 'src/platform/http/idempotency/idempotency.module.ts', because: SWEEP },
  { in: 'src/events/events.service.ts', says: /^\s*DELETE FROM outbox_events/, because: SWEEP },
  { in: 'src/exports/exports.queries.ts', says: /expires_at < now\(\)/, because: SWEEP },
  { in: 'src/grid/computing/memo.queries.ts', says: /^\s*DELETE/, because: SWEEP },
  { in: 'src/traces/receipts/old-receipts.queries.ts', because: SWEEP },

  { in: 'src/platform/work/oldest-row.queries.ts', because: GAUGE },
  { in: 'src/feeds/feed-lag.queries.ts', says: /^\s*SELECT .* AS seconds FROM feeds f/, because: GAUGE },
  { in: 'src/monitors/open-alerts.queries.ts', because: GAUGE },
  { in: 'src/requests/search/log-search-lag.queries.ts', because: GAUGE },
  { in: 'src/grid/computing/waiting-cells.queries.ts', because: GAUGE },
  { in: 'src/traces/search/trace-search-lag.queries.ts', because: GAUGE },
  { in: 'src/webhooks/waiting-deliveries.queries.ts', because: GAUGE },

  {
    in: 'src/platform/secrets/',
    because: 'A process that starts tries its SECRETS_KEY on some secrets, and commands read or replace all of them.',
  },
  {
    in: 'src/events/consumers/start-consumers.ts',
    because: 'After a move to another server the numbers of transactions are made smaller, once, for all workspaces.',
  },
  {
    in: 'src/requests/pricing/model-prices.ts',
    because: 'Every process has the prices of all workspaces in memory and looks for changes.',
  },
];

/** @param places the files whose code asked for a statement, the innermost first */
export function exceptionFor({ text, places }: { text: string; places: string[] }): Exception | undefined {
  return EXCEPTIONS.find(({ in: place, says }) => places[0]?.startsWith(place) && (says?.test(text) ?? true));
}
