/** Code over rows, as it goes to a process. */
export interface CodeCall {
  code: string;
  /** JSON of the data of each row. */
  rows: string[];
  /** For each row. */
  timeMs: number;
  memoryBytes: number;
  workspaceId: number;
}
