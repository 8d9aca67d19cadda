/** A release of PostgreSQL with the details of its version. */
export interface PostgresRelease {
  major: string;
  /** The module or file from which its npm package is looked for. */
  resolveFrom: string;
  /** Arguments of initdb. Without them the sort order of a cluster depends on the environment of its first start. */
  locale: string[];
}

/** The release that the product includes. */
export const EMBEDDED_RELEASE: PostgresRelease = {
  major: '18',
  resolveFrom: import.meta.url,
  locale: ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
};
