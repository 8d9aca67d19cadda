import type { Need } from './route-permissions.js';

const PUBLIC = '/api/public/v2';
const WORKSPACE = '/api/admin/v1/workspaces/{workspace_id}';
const FEEDS = `${PUBLIC}/tables/{table_id}/sheets/{sheet_id}/feeds`;
const REVIEWS = `${PUBLIC}/review-queues`;

const DESCRIPTIONS =
  'ServiceProviderConfig Schemas Schemas/{scim_schema} ResourceTypes ResourceTypes/{scim_resource_type}';
const scimRoutes = (name: string, id: string): string[] => [
  ...['GET', 'POST'].map((method) => `${method} /scim/v2/${name}`),
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /scim/v2/${name}/{${id}}`),
];

/** Routes of the operator, of people and of their keys, and of their reviews. */
export const ROUTES_OF_PEOPLE: [Need, string[]][] = [
  [
    'nobody',
    [
      'GET /health/live',
      'GET /health/ready',
      'GET /console/sign-in',
      'POST /console/sign-in',
      'POST /console/invitation/sign-in',
      'POST /console/invitation',
      'POST /console/invitation/accept',
      'POST /console/password',
      'POST /console/password/forgotten',
      'POST /console/sign-in-link',
    ],
  ],
  [
    'operator',
    [
      'GET /api/admin/v1/workspaces',
      'POST /api/admin/v1/workspaces',
      'PATCH /api/admin/v1/workspaces/{workspace_id}',
      `PUT ${WORKSPACE}/storage`,
      'GET /api/admin/v1/audit-entries',
      'GET /api/admin/v1/audit-entries/verification',
      'GET /api/admin/v1/audit-entries/download',
      `GET ${WORKSPACE}/export`,
      'GET /api/admin/v1/users',
      'PATCH /api/admin/v1/users/{user_id}',
      'DELETE /api/admin/v1/users/{user_id}',
      'POST /api/admin/v1/users/{user_id}/password-links',
      'GET /api/admin/v1/identity-providers',
      'POST /api/admin/v1/identity-providers',
      'GET /api/admin/v1/identity-providers/{identity_provider}',
      'PATCH /api/admin/v1/identity-providers/{identity_provider}',
      'DELETE /api/admin/v1/identity-providers/{identity_provider}',
      'GET /api/admin/v1/workspace-deletions',
      'POST /api/admin/v1/workspace-deletions',
      'GET /api/admin/v1/scim-tokens',
      'POST /api/admin/v1/scim-tokens',
      'DELETE /api/admin/v1/scim-tokens/{scim_token_id}',
      'GET /api/admin/v1/group-rules',
      'POST /api/admin/v1/group-rules',
      'PATCH /api/admin/v1/group-rules/{rule_id}',
      'DELETE /api/admin/v1/group-rules/{rule_id}',
    ],
  ],
  [
    'member',
    [
      `GET ${WORKSPACE}/roles`,
      // Asking needs what changing the label needs, which cases of its own show.
      `GET ${PUBLIC}/label-changes`,
      `GET ${PUBLIC}/label-changes/{label_change_id}`,
      `POST ${PUBLIC}/label-changes/{label_change_id}/cancel`,
      'POST /console/session',
      'GET /console/session',
      'DELETE /console/session',
      'POST /console/session/workspace/{workspace_id}',
      'GET /console/sessions',
      'DELETE /console/sessions',
      'DELETE /console/sessions/{console_session_id}',
      'GET /console/identities',
      'POST /console/identities',
      'DELETE /console/identities/{identity_id}',
      `GET ${PUBLIC}/me/api-keys`,
      `POST ${PUBLIC}/me/api-keys`,
      `DELETE ${PUBLIC}/me/api-keys/{key_id}`,
    ],
  ],
  [
    'member',
    [
      '',
      '/{review_queue_id}',
      '/{review_queue_id}/agreement',
      '/{review_queue_id}/few-shot',
      '/{review_queue_id}/items',
    ]
      .concat('/{review_queue_id}/items/{review_item_id}')
      .map((path) => `GET ${REVIEWS}${path}`),
  ],
  ['TABLE_CREATE', [`POST ${REVIEWS}`]],
  ['member', ['', '/{feed_id}', '/{feed_id}/decisions', '/{feed_id}/hours'].map((path) => `GET ${FEEDS}${path}`)],
  ['member', [`POST ${FEEDS}/plan`]],
  ['TABLE_EDIT', [`POST ${FEEDS}`, `PATCH ${FEEDS}/{feed_id}`, `DELETE ${FEEDS}/{feed_id}`]],
  [
    'TABLE_EDIT',
    [
      `PATCH ${REVIEWS}/{review_queue_id}`,
      `POST ${REVIEWS}/{review_queue_id}/items`,
      `POST ${REVIEWS}/{review_queue_id}/next`,
      `POST ${REVIEWS}/{review_queue_id}/items/{review_item_id}/answer`,
      `DELETE ${REVIEWS}/{review_queue_id}/items/{review_item_id}/answer`,
      `POST ${REVIEWS}/{review_queue_id}/items/{review_item_id}/skip`,
      `POST ${REVIEWS}/{review_queue_id}/items/{review_item_id}/decide`,
    ],
  ],
  ['TABLE_DELETE', [`DELETE ${REVIEWS}/{review_queue_id}`]],
  ['PROMPT_DEPLOY', [`POST ${PUBLIC}/label-changes`]],
  [
    'PROTECTED_LABELS',
    [`POST ${PUBLIC}/label-changes/{label_change_id}/approve`, `POST ${PUBLIC}/label-changes/{label_change_id}/reject`],
  ],
  [
    'ADMIN',
    [
      `POST ${WORKSPACE}/roles`,
      `PATCH ${WORKSPACE}/roles/{role_name}`,
      `DELETE ${WORKSPACE}/roles/{role_name}`,
      `GET ${WORKSPACE}/members`,
      `PATCH ${WORKSPACE}/members/{user_id}`,
      `DELETE ${WORKSPACE}/members/{user_id}`,
      `GET ${WORKSPACE}/invitations`,
      `POST ${WORKSPACE}/invitations`,
      `DELETE ${WORKSPACE}/invitations/{invitation_id}`,
    ],
  ],

  ['provider', DESCRIPTIONS.split(' ').map((name) => `GET /scim/v2/${name}`)],
  ['provider', [...scimRoutes('Users', 'scim_user_id'), ...scimRoutes('Groups', 'scim_group_id')]],

  [
    'MANAGE_API_KEYS',
    [
      `GET ${WORKSPACE}/api-keys`,
      `POST ${WORKSPACE}/api-keys`,
      `PATCH ${WORKSPACE}/api-keys/{key_id}`,
      `POST ${WORKSPACE}/api-keys/{key_id}/rotate`,
      `DELETE ${WORKSPACE}/api-keys/{key_id}`,
    ],
  ],
];
