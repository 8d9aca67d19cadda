const { existsSync, readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

/**
 * The layers of the server: platform ← access ← domains ← app. A domain reaches another one only along the arrows that
 * its manifest lists in `uses`, and only through its index.
 */
const manifests = readdirSync(path.join(__dirname, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(manifestOf(entry.name)))
  .map(({ name }) => ({ name, ...readManifest(name) }));

function manifestOf(domain) {
  return path.join(__dirname, 'src', domain, 'manifest.ts');
}

/** These rules run before anything is compiled, so they read the two fields as text. */
function readManifest(domain) {
  const text = readFileSync(manifestOf(domain), 'utf8');
  const list = /^ {2}uses: \[([^\]]*)\],$/m.exec(text);
  if (!list) throw new Error(`src/${domain}/manifest.ts has no list "uses" of plain strings.`);
  const uses = [...list[1].matchAll(/'([^']+)'/g)].map(([, name]) => name);
  return { uses, vocabulary: /^ {2}vocabulary: true,$/m.test(text) };
}

const domains = manifests.filter(({ name }) => name !== 'access');
const DOMAINS = domains.map(({ name }) => name).join('|');
const WITH_A_DOOR = manifests.flatMap(({ name, vocabulary }) => (vocabulary ? [] : name)).join('|');

/** Domains whose parts have files in common. */
const WITH_SHARED = domains
  .filter(({ name }) => existsSync(path.join(__dirname, 'src', name, 'shared')))
  .map(({ name }) => name)
  .join('|');

const arrows = domains.map(({ name, uses }) => ({
  name: `${name}-reads-only-its-arrows`,
  comment: `${name} may use ${uses.join(', ') || 'no other domain'}.`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: `^src/(${DOMAINS})/`, pathNot: `^src/(${[name, ...uses].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
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
      comment: 'Another domain is used through its index. The files of shared vocabulary are used directly.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: `^src/(${WITH_A_DOOR})/`,
        pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'app-through-the-index',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: {
        path: `^src/(${WITH_A_DOOR})/`,
        pathNot: '/(index|manifest)\\.ts$',
      },
    },
    {
      name: 'parts-do-not-know-their-domain',
      comment: 'The files of a domain itself compose its parts. Whatever several parts use belongs into shared/.',
      severity: 'error',
      from: { path: `^src/(${WITH_SHARED})/[^/]+/` },
      to: { path: '^src/$1/[^/]+\\.ts$' },
    },
    {
      name: 'shared-knows-no-part',
      severity: 'error',
      from: { path: `^src/(${WITH_SHARED})/shared/` },
      to: { path: '^src/$1/', pathNot: '^src/$1/shared/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-fast-path-has-one-door',
      comment: 'Ingestion works without it, only slower: nothing but its index is known outside, so that it can be deleted.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/traces/ingestion/fast-path/' },
      to: { path: '^src/traces/ingestion/fast-path/', pathNot: '/index\\.ts$' },
    },
    {
      name: 'nobody-imports-the-launcher',
      severity: 'error',
      from: { pathNot: '^src/embedded/' },
      to: { path: '^src/embedded/' },
    },
    {
      name: 'the-server-knows-nothing-of-the-console',
      comment: 'src/console serves its files; what is in console/ is bundled for browsers.',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^console/' },
    },
    {
      name: 'the-console-is-a-client',
      comment: 'It knows the server by its API document alone.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|migrations)/' },
    },
    {
      name: 'parts-of-the-console-know-no-screen',
      severity: 'error',
      from: { path: '^console/src/(ui|api)/' },
      to: { path: '^console/src/(?!ui/|api/)' },
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
