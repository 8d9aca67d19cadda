/** A PostgreSQL that can be started, and what is particular to its version. */
export interface PostgresRelease {
  major: string;
  /** The module or file from which its npm package is looked for. */
  resolveFrom: string;
  /** Arguments of initdb. Without them a cluster takes its sort order from whoever happens to start it first. */
  locale: string[];
}

/** The one that the product brings along. */
export const EMBEDDED_RELEASE: PostgresRelease = {
  major: '18',
  resolveFrom: import.meta.url,
  locale: ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
};
