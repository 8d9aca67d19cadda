/**
 * The layers of the server: platform ← access ← domains ← app. A domain reaches another one only along these arrows
 * and only through its index.
 */
const ARROWS = {
  llm: [],
  events: [],
  'external-ids': [],
  'entity-lists': ['external-ids'],
  folders: ['entity-lists', 'external-ids'],
  prompts: ['llm', 'events', 'entity-lists', 'external-ids', 'folders'],
  requests: ['llm', 'prompts'],
  traces: ['llm', 'prompts', 'requests'],
  'track-requests': ['llm', 'prompts', 'requests', 'traces'],
  tables: ['events', 'folders', 'llm', 'prompts', 'requests'],
  webhooks: ['events'],
  exports: ['requests', 'traces'],
  retention: ['requests', 'traces'],
};
const DOMAINS = Object.keys(ARROWS).join('|');

const arrows = Object.entries(ARROWS).map(([domain, allowed]) => ({
  name: `${domain}-reads-only-its-arrows`,
  comment: `${domain} may use ${allowed.join(', ') || 'no other domain'}.`,
  severity: 'error',
  from: { path: `^src/${domain}/` },
  to: { path: `^src/(${DOMAINS})/`, pathNot: `^src/(${[domain, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'platform-knows-no-domain',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: `^src/(access|${DOMAINS}|embedded)/|^src/[^/]+\\.ts$` },
    },
    {
      name: 'access-knows-no-domain',
      severity: 'error',
      from: { path: '^src/access/' },
      to: { path: `^src/(${DOMAINS}|embedded)/|^src/[^/]+\\.ts$` },
    },
    {
      name: 'domains-do-not-know-the-app',
      severity: 'error',
      from: { path: `^src/(${DOMAINS})/` },
      to: { path: '^src/(embedded/|[^/]+\\.ts$)' },
    },
    {
      name: 'through-the-index',
      comment: 'Another domain is used through its index. Shared vocabulary without an index (llm) is used directly.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: '^src/(access|entity-lists|events|external-ids|folders|prompts|requests|traces|track-requests|tables|webhooks|exports|retention)/',
        pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'app-through-the-index',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: {
        path: '^src/(access|entity-lists|events|external-ids|folders|prompts|requests|traces|track-requests|tables|webhooks|exports|retention)/',
        pathNot: '/index\\.ts$',
      },
    },
    {
      name: 'the-grid-knows-no-owner',
      comment: 'Sheets of every kind are rows, columns and cells of tables/grid. Owners use it; it uses none of them.',
      severity: 'error',
      from: { path: '^src/tables/grid/' },
      to: { path: '^src/tables/', pathNot: '^src/tables/grid/' },
    },
    {
      name: 'nobody-imports-the-launcher',
      severity: 'error',
      from: { pathNot: '^src/embedded/' },
      to: { path: '^src/embedded/' },
    },
    {
      name: 'migrations-know-nothing',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$|\\.fixture\\.ts$' },
  },
};
