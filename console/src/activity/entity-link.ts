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
export function screenOf({ action, entity_id: id }: { action: string; entity_id: string }): string | null {
  const [type, ...done] = action.split('.');
  if (done.join('.').startsWith('delete')) return null;
  return Object.hasOwn(SCREENS, type!) ? SCREENS[type!]!(encodeURIComponent(id)) : null;
}
