import type { AuditEntryBody } from '../api/schema.gen';

/** Screens that open an object by the id of its audit entries. */
const SCREENS: Record<string, (id: string) => string> = {
  api_key: () => '/settings/keys',
  dataset: (id) => `/datasets/${id}`,
  env_var: () => '/settings/variables',
  export: () => '/settings/exports',
  invitation: () => '/settings/people',
  label_change: () => '/settings/approvals',
  mcp_server: () => '/settings/mcp-servers',
  member: () => '/settings/people',
  model_credential: () => '/settings/models',
  model_price: () => '/settings/prices',
  monitor: (id) => `/monitors?id=${id}`,
  report: (id) => `/evaluations/${id}`,
  retention: () => '/settings/retention',
  review_queue: (id) => `/reviews/${id}`,
  role: () => '/settings/roles',
  skill_collection: (id) => `/skills/${id}`,
  table: (id) => `/tables/${id}`,
  tool: (id) => `/tools/${id}`,
  webhook: () => '/settings/webhooks',
  workflow: (id) => `/workflows/${id}`,
  workspace_settings: () => '/settings/workspace',
};

/** The screen of an audited object; null when it was deleted or has no screen. */
export function screenOf(entry: Pick<AuditEntryBody, 'action' | 'entity_id' | 'details'>): string | null {
  const [type, ...done] = entry.action.split('.');
  if (done.join('.').startsWith('delete')) return null;
  const { group_id: group } = entry.details;
  // A version of a dataset is shown on the screen of its group.
  const id = type === 'dataset' && typeof group === 'number' ? String(group) : entry.entity_id;
  return Object.hasOwn(SCREENS, type!) ? SCREENS[type!]!(encodeURIComponent(id)) : null;
}
