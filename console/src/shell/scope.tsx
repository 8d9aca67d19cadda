import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import type { RequestFilter, SearchTracesRequest } from '../api/schema.gen';
import { Choice } from '../ui/search-field';
import { useUrlState } from '../ui/url-state';
import { SCREENS } from './places';

/** Whose calls and traces are shown: by default those of applications. `env` is a deployment environment. */
export const SCOPE = { origin: '', env: '' };
export type Scope = typeof SCOPE;

const ORIGINS = { '': 'Applications', all: 'Applications and this server', server: 'This server' };

type TraceFilter = NonNullable<SearchTracesRequest['filter_group']>['filters'][number];

const isKnown = (origin: string): origin is keyof typeof ORIGINS => Object.hasOwn(ORIGINS, origin);

function filtersOf({ origin, env }: Scope, [originField, environmentField]: [string, string]) {
  const operator = origin === 'server' ? 'is_not' : 'is';
  return [
    ...(origin === 'all' ? [] : [{ field: originField, operator, value: 'application' }]),
    ...(env === '' ? [] : [{ field: environmentField, operator: 'is', value: env }]),
  ];
}

/** Filters of a scope for requests. */
export const requestScope = (scope: Scope) => filtersOf(scope, ['origin', 'environment']) as RequestFilter[];

/** The same for traces. */
export const traceScope = (scope: Scope) => filtersOf(scope, ['trace_origin', 'trace_environment']) as TraceFilter[];

/** Describes the filters of a scope. Empty for the default. */
export function describeScope({ origin, env }: Scope): string[] {
  return [
    ...(origin !== 'all' && origin !== '' && isKnown(origin) ? [`the origin “${ORIGINS[origin]}”`] : []),
    ...(env === '' ? [] : [`the environment “${env}”`]),
  ];
}

/** A path within a scope. */
export function withScope(path: string, { origin, env }: Scope): string {
  const query = new URLSearchParams({ ...(origin !== '' && { origin }), ...(env !== '' && { env }) }).toString();
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

const KEY = 'tracesheet.scope';

/** The last scope of this browser, for links from other screens. */
function lastScope(): Scope {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<Scope>;
    return { origin: String(kept.origin ?? ''), env: String(kept.env ?? '') };
  } catch {
    return SCOPE;
  }
}

/** Adds a scope to links: the one of the current screen, or else the last one. */
export function useInScope(): (place: { path: string; isScoped?: true }) => string {
  const [shown] = useUrlState(SCOPE);
  const [here] = useLocation();
  const scope = SCREENS.some(({ path, isScoped }) => isScoped && path === here) ? shown : lastScope();
  return ({ path, isScoped }) => (isScoped ? withScope(path, scope) : path);
}

function remember(scope: Scope): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(scope));
  } catch {
    // Browsers without storage use the URL only.
  }
}

/** The scope of the URL. */
export function useScope(): [Scope, (change: Partial<Scope>) => void] {
  const [scope, set] = useUrlState(SCOPE);
  remember(scope);
  return [scope, set];
}

/** New environments are rare. */
const KNOWN_FOR_MS = 300_000;

/** Chooses the origin and the environment of the calls and traces on a screen. */
export function ScopeChoice() {
  const [{ origin, env }, set] = useScope();
  const environments = useQuery({
    queryKey: ['environments'],
    staleTime: KNOWN_FOR_MS,
    queryFn: async ({ signal }) =>
      (await api('GET /api/public/v2/requests/suggestions', { query: { field: 'environment' }, signal })).values,
  });
  const known = new Set([...(environments.data ?? []), ...(env === '' ? [] : [env])]);
  return (
    <>
      <Choice
        label="Origin"
        options={ORIGINS}
        value={isKnown(origin) ? origin : ''}
        onChange={(chosen) => set({ origin: chosen })}
      />
      {known.size > 0 && (
        <Choice
          label="Environment"
          options={{ '': 'Any environment', ...Object.fromEntries([...known].map((name) => [name, name])) }}
          value={env}
          onChange={(chosen) => set({ env: chosen })}
        />
      )}
    </>
  );
}
