export interface ProcessStat {
  state: string;
  parent: number;
  group: number;
  /** Milliseconds. */
  processorMs: number;
  endedChildrenMs: number;
  started: string;
}

export function statOf(pid: number): ProcessStat | null;
