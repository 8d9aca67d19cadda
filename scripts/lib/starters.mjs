import { readFileSync } from 'node:fs';
import path from 'node:path';
import { statOf } from './process-stat.mjs';

const CHECK_MS = 250;
const SHELLS = ['sh', 'dash', 'bash', 'ash', 'ksh', 'zsh'];

/**
 * Calls `act` when a process that waits for this command is gone: npm, which passes on SIGINT and SIGTERM, but not the
 * SIGHUP of a closed terminal; and a shell around it (`sh -c "npm start"`), which passes on nothing. Otherwise nobody
 * could stop the command where it was started. Processes that do not wait may end at any time. Returns a function that
 * ends the watch.
 */
export function whenStarterIsGone(act) {
  const links = waitingStarters();
  if (links.length === 0) return () => undefined;
  const timer = setInterval(() => {
    if (links.every(({ child, parent }) => parentOf(child) === parent)) return;
    clearInterval(timer);
    act();
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Processes from this one upwards, each with its child. */
function waitingStarters() {
  const links = [];
  const isNpm = process.env.npm_lifecycle_event !== undefined;
  let link = { child: process.pid, parent: process.ppid };
  while (link.parent > 0 && ((isNpm && links.length === 0) || waits(link.parent))) {
    links.push(link);
    link = { child: link.parent, parent: parentOf(link.parent) };
  }
  return links;
}

/** A shell that runs one command line waits for what that starts, unless it starts it in the background. */
function waits(pid) {
  const [program = '', option, script = ''] = read(pid, 'cmdline').split('\0');
  return SHELLS.includes(path.basename(program)) && /^-\w*c$/.test(option ?? '') && !hasBackground(script);
}

export function hasBackground(script) {
  const withoutRedirections = script.replace(/\d*[<>]&[\d-]*|&>>?/g, ' ');
  return /(^|[^&])&($|[^&])/.test(withoutRedirections);
}

/** 0 where that cannot be known. */
function parentOf(pid) {
  if (pid === process.pid) return process.ppid;
  return statOf(pid)?.parent || 0;
}

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
