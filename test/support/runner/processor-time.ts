import { readFileSync } from 'node:fs';
import { type ProcessStat, statOf } from '../../../scripts/lib/process-stat.mjs';

/**
 * The processor time that this process and those below it have taken, in milliseconds: browsers, sandboxes and commands that a test
 * starts count for it, PostgreSQL and Redis do not. Where the system has no /proc, that of this process alone.
 */
export function processorTime(): number {
  // More exact than what the system counts, as most tests take a few milliseconds.
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (statOf(process.pid)?.endedChildrenMs ?? 0) + below(process.pid);
}

function below(pid: number): number {
  const times = childrenOf(pid).map((child) => timeOf(statOf(child)) + below(child));
  return times.reduce((sum, time) => sum + time, 0);
}

const timeOf = (stat: ProcessStat | null): number => (stat ? stat.processorMs + stat.endedChildrenMs : 0);

/** Processes that a process has started from its main thread. Empty where the system has no /proc. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
