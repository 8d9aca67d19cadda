import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second whatever the machine is. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  parent: number;
  /** Seconds of the process itself. */
  own: number;
  /** Seconds of its children that have ended. */
  ended: number;
}

/** Seconds of processor time that a process and its children have used so far. Only where there is a /proc. */
export function cpuSeconds(pid: number): number {
  const root = readTimes(pid);
  if (!root) throw new Error(`Process ${pid} is gone.`);
  let seconds = root.own + root.ended;
  for (const entry of readdirSync('/proc')) {
    const child = /^\d+$/.test(entry) ? readTimes(Number(entry)) : null;
    if (child?.parent === pid) seconds += child.own + child.ended;
  }
  return seconds;
}

export function parentOf(pid: number): number {
  const times = readTimes(pid);
  if (!times) throw new Error(`Process ${pid} is gone.`);
  return times.parent;
}

/** null for a process that is gone. */
function readTimes(pid: number): ProcessTimes | null {
  const stat = readStat(pid);
  if (stat === null) return null;
  // The name before may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  return { parent: Number(fields[1]), own: user! + system!, ended: endedUser! + endedSystem! };
}

function readStat(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}
