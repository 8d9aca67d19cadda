/**
 * How many tests passed and failed, from vitest's JSON report or null when there is none. What failed
 * without being a test, such as a file that cannot be loaded, counts as one failure.
 */
export function countResults(report) {
  if (!report) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return { passed: report.numPassedTests, failed: failed === 0 && !report.success ? 1 : failed };
}
