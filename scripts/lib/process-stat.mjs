import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every processor that Node runs on. */
const MS_PER_TICK = 10;

/**
 * Facts of the system about a process: its state, parent and group, its processor time and that of its ended children
 * (ms), and an identity that later processes with the same number do not have, also across reboots. Null when the
 * process is gone, and where the system has no /proc.
 */
export function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in brackets, may itself hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      state: fields[0],
      parent: Number(fields[1]),
      group: Number(fields[2]),
      processorMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
      endedChildrenMs: (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK,
      started: `${bootId()}/${fields[19]}`,
    };
  } catch {
    return null;
  }
}

let boot;
function bootId() {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}
