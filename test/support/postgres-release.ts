import path from 'node:path';
import { EMBEDDED_RELEASE, type PostgresRelease } from '../../src/embedded/postgres-release.js';

/** The oldest supported PostgreSQL. It has no locales of its own, and sorts by language, unlike the embedded one. */
const POSTGRES_15: PostgresRelease = {
  major: '15',
  resolveFrom: path.resolve(import.meta.dirname, '../postgres-15/package.json'),
  locale: ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8'],
};

/** The PostgreSQL that POSTGRES_VERSION asks for: the embedded one, or 15. */
export function testedRelease(): PostgresRelease {
  const { POSTGRES_VERSION: wanted = EMBEDDED_RELEASE.major } = process.env;
  const release = [EMBEDDED_RELEASE, POSTGRES_15].find(({ major }) => major === wanted);
  if (!release) throw new Error(`POSTGRES_VERSION can be ${EMBEDDED_RELEASE.major} or ${POSTGRES_15.major}.`);
  return release;
}
