/** More failing tests than these are repeated as whole files. */
const MOST_NAMES = 8;

/**
 * Numbers of passed, failed and skipped tests, from vitest's JSON report, or null when there is none. A failure outside
 * a test, such as a file that cannot be loaded, counts as one failure.
 */
export function countResults(report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && failedOf(assertionResults).length === 0,
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !report.success ? 1 : failed,
    skipped: report.numPendingTests,
  };
}

/** The arguments of `npm test` that repeat what failed: its files, and the names of its tests where they are few; null when nothing did. */
export function argumentsToRepeat(report, root) {
  const files = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  if (files.length === 0) return null;
  const names = files.map(({ assertionResults }) => failedOf(assertionResults).map(({ fullName }) => fullName));
  const isNamed = names.every(({ length }) => length > 0) && names.flat().length <= MOST_NAMES;
  const paths = files.map(({ name }) => name.replace(`${root}/`, ''));
  return isNamed ? [...paths, '-t', quoted(`^(${names.flat().map(escaped).join('|')})$`)] : paths;
}

const failedOf = (results) => results.filter(({ status }) => status === 'failed');

const escaped = (text) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** Quotes a text as one word of a shell. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
