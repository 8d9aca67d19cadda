import type { SavedViewBody } from '../api/schema.gen';

export type ScreenName = SavedViewBody['screen'];

/** Parameters of the URL that a view does not keep: the open item, an import, the view itself. */
const PASSING = ['id', 'adding', 'view'];

/** Parameters of the URL. */
type Query = Record<string, string>;

/** The values of a state that a view keeps: those that differ from the defaults. */
export function queryOf(state: Query, defaults: Query): Query {
  const entries = Object.entries(state).filter(([key, value]) => !PASSING.includes(key) && value !== defaults[key]);
  return Object.fromEntries(entries);
}

/** The state of a view. Parameters that the screen does not know are ignored. */
export function stateOf<S extends Query>({ id, query }: Pick<SavedViewBody, 'id' | 'query'>, defaults: S): S {
  const known = Object.entries(query).filter(([key]) => Object.hasOwn(defaults, key) && !PASSING.includes(key));
  return { ...defaults, ...Object.fromEntries(known), view: id };
}

/** Whether the state differs from the view. */
export function isChanged(state: Query, defaults: Query, view: Pick<SavedViewBody, 'id' | 'query'>): boolean {
  const [now, saved] = [queryOf(state, defaults), queryOf(stateOf(view, defaults), defaults)];
  const keys = new Set([...Object.keys(now), ...Object.keys(saved)]);
  return [...keys].some((key) => now[key] !== saved[key]);
}

const PATHS: Record<ScreenName, { path: string; title: string }> = {
  requests: { path: '/logs', title: 'Requests' },
  traces: { path: '/traces', title: 'Traces' },
  sessions: { path: '/conversations', title: 'Sessions' },
  trends: { path: '/trends', title: 'Trends' },
};

/** The link that shows a view. */
export function placeOf({ id, name, screen, query }: SavedViewBody): { title: string; hint: string; path: string } {
  const { path, title } = PATHS[screen];
  return { title: name, hint: `View of ${title}`, path: `${path}?${new URLSearchParams({ ...query, view: id })}` };
}
