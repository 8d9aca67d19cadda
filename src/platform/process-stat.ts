import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every processor that Node runs on. */
const MS_PER_TICK = 10;

export interface ProcessStat {
  /** One letter; `Z` for a zombie. */
  state: string;
  parent: number;
  /** Processor time so far, in milliseconds. */
  processorMs: number;
  /** Start since the boot, in the clock ticks of the system. */
  startTicks: string;
}

/** Facts of the system about a process. Null when it is gone, and where the system has no /proc. */
export function readStat(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in brackets, may itself hold spaces and brackets: count from the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const processorMs = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
    return { state: fields[0], parent: Number(fields[1]), processorMs, startTicks: fields[19] };
  } catch {
    return null;
  }
}
