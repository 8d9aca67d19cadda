import type { DocumentBuilder } from '@nestjs/swagger';

type Requirement = Record<string, []>;

/** Extensions of an operation that decorators set for the credentials of a route. */
export interface RouteCredentials {
  'x-public'?: boolean;
  'x-operator'?: 'only' | 'too';
  'x-body-key'?: boolean;
  'x-ingests'?: boolean;
  'x-provider'?: boolean;
}

const IN_HEADERS: Requirement[] = [{ api_key: [] }, { bearer_key: [] }];

/** Describes every credential that the server accepts. */
export function addCredentials(builder: DocumentBuilder): DocumentBuilder {
  return builder
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'A key of your workspace.' }, 'api_key')
    .addSecurity('bearer_key', {
      type: 'http',
      scheme: 'bearer',
      description: 'A key of your workspace as a bearer token. Ignored when there is an `X-API-KEY` header.',
    })
    .addSecurity('console_session', {
      type: 'apiKey',
      in: 'cookie',
      name: 'ts_session',
      description:
        'The cookie from `POST /console/session`. Accepted by servers with `CONSOLE=on`, and only in requests without another credential.',
    })
    .addSecurity('console_request', {
      type: 'apiKey',
      in: 'header',
      name: 'x-console',
      description:
        'The value `1`: required with the cookie for any method but GET and HEAD, because other sites cannot send it.',
    })
    .addSecurity('operator', {
      type: 'http',
      scheme: 'bearer',
      description: 'The ADMIN_TOKEN that the server was started with.',
    })
    .addSecurity('scim_token', {
      type: 'http',
      scheme: 'bearer',
      description:
        'A token for an identity provider, from `POST /api/admin/v1/scim-tokens`. Only for the paths below `/scim/v2`.',
    });
}

/** The alternatives of which a request needs one. An empty alternative stands for a key in the body, which OpenAPI cannot describe. */
export function securityOf(method: string, route: RouteCredentials): Requirement[] {
  if (route['x-public']) return [];
  if (route['x-provider']) return [{ scim_token: [] }];
  if (route['x-operator'] === 'only') return [{ operator: [] }];
  if (route['x-body-key']) return [...IN_HEADERS, {}];
  const operator: Requirement[] = route['x-operator'] === 'too' ? [{ operator: [] }] : [];
  if (route['x-ingests']) return [...IN_HEADERS, ...operator];
  const changes = method !== 'get' && method !== 'head';
  const session: Requirement = changes ? { console_session: [], console_request: [] } : { console_session: [] };
  return [...IN_HEADERS, session, ...operator];
}
