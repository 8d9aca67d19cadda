import type { IconName } from '../ui/icons';

/** A screen of the rail. */
export interface Screen {
  title: string;
  path: string;
  icon: IconName;
  /** Keys that open it, pressed one after the other. */
  keys: string;
  /** Shows calls or traces of a scope, see `scope.tsx`. */
  isScoped?: true;
}

/** The screens in the order of the rail, by purpose. */
export const RAIL: Record<string, Screen[]> = {
  '': [{ title: 'Today', path: '/', icon: 'today', keys: 'g h', isScoped: true }],
  See: [
    { title: 'Traces', path: '/traces', icon: 'traces', keys: 'g t', isScoped: true },
    { title: 'Requests', path: '/logs', icon: 'requests', keys: 'g r', isScoped: true },
    { title: 'Sessions', path: '/conversations', icon: 'sessions', keys: 'g n', isScoped: true },
    { title: 'Trends', path: '/trends', icon: 'trends', keys: 'g d', isScoped: true },
    { title: 'Monitors', path: '/monitors', icon: 'monitors', keys: 'g m' },
  ],
  Work: [
    { title: 'Tables', path: '/tables', icon: 'tables', keys: 'g s' },
    { title: 'Datasets', path: '/datasets', icon: 'datasets', keys: 'g b' },
    { title: 'Prompts', path: '/prompts', icon: 'prompts', keys: 'g p' },
    { title: 'Playground', path: '/playground', icon: 'playground', keys: 'g y' },
    { title: 'Evaluations', path: '/evaluations', icon: 'evaluations', keys: 'g e' },
    { title: 'Review', path: '/reviews', icon: 'reviews', keys: 'g v' },
    { title: 'Workflows', path: '/workflows', icon: 'workflows', keys: 'g w' },
    { title: 'Tools', path: '/tools', icon: 'tools', keys: 'g o' },
    { title: 'Skills', path: '/skills', icon: 'skills', keys: 'g k' },
  ],
  Keep: [
    { title: 'Activity', path: '/activity', icon: 'activity', keys: 'g a' },
    { title: 'Settings', path: '/settings', icon: 'settings', keys: 'g x' },
  ],
};

export const SCREENS = Object.values(RAIL).flat();

/** Somewhere to go. */
export interface Place {
  title: string;
  hint: string;
  path: string;
  isScoped?: true;
}

const PLACES: Place[] = [
  ...SCREENS.map(({ title, keys, path, isScoped }) => ({ title, hint: keys, path, ...(isScoped && { isScoped }) })),
  { title: 'New monitor', hint: 'Monitors', path: '/monitors?id=new' },
  { title: 'Failed traces', hint: 'Traces', path: '/traces?status=ERROR', isScoped: true },
  { title: 'Failed requests', hint: 'Requests', path: '/logs?status=ERROR', isScoped: true },
  { title: 'New evaluation', hint: 'Evaluations', path: '/evaluations/new' },
  { title: 'Compare scorecard runs', hint: 'Evaluations', path: '/evaluations/runs' },
  { title: 'Folders of prompts', hint: 'Prompts', path: '/prompts?folder=top' },
  { title: 'Folders of tables', hint: 'Tables', path: '/tables?folder=top' },
  { title: 'Users with the most requests', hint: 'Sessions', path: '/users' },
  { title: 'API keys', hint: 'Settings', path: '/settings/keys' },
  { title: 'People', hint: 'Settings', path: '/settings/people' },
  { title: 'Roles', hint: 'Settings', path: '/settings/roles' },
  { title: 'Your account', hint: 'Settings', path: '/settings/account' },
  { title: 'Webhooks', hint: 'Settings', path: '/settings/webhooks' },
  { title: 'Models and API keys', hint: 'Settings', path: '/settings/models' },
  { title: 'MCP servers', hint: 'Settings', path: '/settings/mcp-servers' },
  { title: 'Model prices', hint: 'Settings', path: '/settings/prices' },
  { title: 'Retention', hint: 'Settings', path: '/settings/retention' },
  { title: 'Environment variables', hint: 'Settings', path: '/settings/variables' },
  { title: 'Erase a person’s data', hint: 'Settings', path: '/settings/erasure' },
  { title: 'Exports', hint: 'Settings', path: '/settings/exports' },
  { title: 'Workspace', hint: 'Settings', path: '/settings/workspace' },
];

/** Entries of the palette for a text: an id first, then a screen, a saved view or an item by name, then searches. */
export function placesFor(text: string, named: Place[] = []): Place[] {
  const words = text.trim();
  const known = [...PLACES, ...named];
  if (words === '') return known;
  const searches = [
    {
      title: `Traces with “${words}”`,
      hint: 'Search',
      path: `/traces?${query({ q: words })}`,
      isScoped: true as const,
    },
    {
      title: `Requests with “${words}”`,
      hint: 'Search',
      path: `/logs?${query({ q: words })}`,
      isScoped: true as const,
    },
  ];
  const places = known.filter(({ title }) => title.toLowerCase().includes(words.toLowerCase()));
  return [...tracesOf(words), ...requestsOf(words), ...places, ...searches];
}

/** Traces by an OpenTelemetry id. Other ids of traces cannot be recognised. */
function tracesOf(words: string): Place[] {
  const id = /^[0-9a-f]{32}$/i.exec(words)?.[0] ?? /[0-9a-f]{32}(?=-[0-9a-f]{16}-)/i.exec(words)?.[0];
  return id ? [{ title: `Trace ${id.toLowerCase()}`, hint: 'Open', path: `/traces/${id.toLowerCase()}` }] : [];
}

/** Requests by id, which is a whole number. */
function requestsOf(words: string): Place[] {
  if (!/^[1-9]\d{0,15}$/.test(words)) return [];
  return [{ title: `Request ${words}`, hint: 'Open', path: `/logs?${query({ f: `pl_id is ${words}`, id: words })}` }];
}

function query(values: Record<string, string>): string {
  return new URLSearchParams(values).toString();
}
