interface FileResult {
  status: string;
  assertionResults: { status: string }[];
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  success: boolean;
  testResults: FileResult[];
}

export function countResults(report: Report | null): { passed: number; failed: number };
