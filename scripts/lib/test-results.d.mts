interface TestResult {
  fullName: string;
  status: string;
}

interface FileResult {
  name: string;
  status: string;
  assertionResults: TestResult[];
}

export interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  success: boolean;
  testResults: FileResult[];
}

export function countResults(report: Report | null): { passed: number; failed: number; skipped: number };
export function argumentsToRepeat(report: Report | null, root: string): string[] | null;
