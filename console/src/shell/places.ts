/** Somewhere to go. */
export interface Place {
  title: string;
  hint: string;
  path: string;
}

const SCREENS: Place[] = [
  { title: 'Traces', hint: 'g t', path: '/traces' },
  { title: 'Failed traces', hint: 'Traces', path: '/traces?status=ERROR' },
  { title: 'Tables', hint: 'g s', path: '/tables' },
];

/** What a text in the palette may mean: an id first, then a screen, then words to search. */
export function placesFor(text: string): Place[] {
  const words = text.trim();
  if (words === '') return SCREENS;
  const search = { title: `Traces with “${words}”`, hint: 'Search', path: `/traces?${query({ q: words })}` };
  const screens = SCREENS.filter(({ title }) => title.toLowerCase().includes(words.toLowerCase()));
  return [...tracesOf(words), ...screens, search];
}

/** Ids of OpenTelemetry are recognised; of others nobody knows. */
function tracesOf(words: string): Place[] {
  const id = /^[0-9a-f]{32}$/i.exec(words)?.[0] ?? /[0-9a-f]{32}(?=-[0-9a-f]{16}-)/i.exec(words)?.[0];
  return id ? [{ title: `Trace ${id.toLowerCase()}`, hint: 'Open', path: `/traces/${id.toLowerCase()}` }] : [];
}

function query(values: Record<string, string>): string {
  return new URLSearchParams(values).toString();
}
