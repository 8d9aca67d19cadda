/** Somewhere to go. */
export interface Place {
  title: string;
  hint: string;
  path: string;
}

const SCREENS: Place[] = [
  { title: 'Today', hint: 'g h', path: '/' },
  { title: 'Traces', hint: 'g t', path: '/traces' },
  { title: 'Failed traces', hint: 'Traces', path: '/traces?status=ERROR' },
  { title: 'Requests', hint: 'g r', path: '/logs' },
  { title: 'Failed requests', hint: 'Requests', path: '/logs?status=ERROR' },
  { title: 'Prompts', hint: 'g p', path: '/prompts' },
  { title: 'Evaluations', hint: 'g e', path: '/evaluations' },
  { title: 'Jobs and events', hint: 'g a', path: '/activity' },
  { title: 'API keys', hint: 'Settings', path: '/settings/keys' },
  { title: 'Webhooks', hint: 'Settings', path: '/settings/webhooks' },
  { title: 'Model prices', hint: 'Settings', path: '/settings/prices' },
  { title: 'Retention', hint: 'Settings', path: '/settings/retention' },
  { title: 'Exports', hint: 'Settings', path: '/settings/exports' },
  { title: 'Workspace', hint: 'Settings', path: '/settings/workspace' },
  { title: 'Tables', hint: 'g s', path: '/tables' },
];

/** What a text in the palette may mean: an id first, then a screen, then words to search. */
export function placesFor(text: string): Place[] {
  const words = text.trim();
  if (words === '') return SCREENS;
  const searches = [
    { title: `Traces with “${words}”`, hint: 'Search', path: `/traces?${query({ q: words })}` },
    { title: `Requests with “${words}”`, hint: 'Search', path: `/logs?${query({ q: words })}` },
  ];
  const screens = SCREENS.filter(({ title }) => title.toLowerCase().includes(words.toLowerCase()));
  return [...tracesOf(words), ...requestsOf(words), ...screens, ...searches];
}

/** Ids of OpenTelemetry are recognised; of others nobody knows. */
function tracesOf(words: string): Place[] {
  const id = /^[0-9a-f]{32}$/i.exec(words)?.[0] ?? /[0-9a-f]{32}(?=-[0-9a-f]{16}-)/i.exec(words)?.[0];
  return id ? [{ title: `Trace ${id.toLowerCase()}`, hint: 'Open', path: `/traces/${id.toLowerCase()}` }] : [];
}

/** Requests have whole numbers for ids. */
function requestsOf(words: string): Place[] {
  if (!/^[1-9]\d{0,15}$/.test(words)) return [];
  return [{ title: `Request ${words}`, hint: 'Open', path: `/logs?${query({ f: `pl_id is ${words}`, id: words })}` }];
}

function query(values: Record<string, string>): string {
  return new URLSearchParams(values).toString();
}
