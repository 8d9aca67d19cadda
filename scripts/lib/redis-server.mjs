import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Failure } from './failure.mjs';
import { run } from './run.mjs';
import { unpackDebianPackage } from './unpack.mjs';

/** Names of servers that speak the protocol. The launcher looks for the same names. */
const PROGRAMS = ['redis-server', 'valkey-server'];

/** The program itself lies in the package of the tools, and the package of the server links to it. */
const BESIDE = ['redis-tools'];

const INSTALL_COMMANDS = {
  'apt-get': 'sudo apt-get install -y redis-server',
  dnf: 'sudo dnf install -y redis',
  apk: 'sudo apk add redis',
  pacman: 'sudo pacman -S redis',
  brew: 'brew install redis',
};

/** True when `redis-server` or `valkey-server` is on the PATH, and runs. */
export function hasRedisServer() {
  return PROGRAMS.some((program) => isOnPath(program) && spawnSync(program, ['--version']).status === 0);
}

/** True on Debian and Ubuntu: root installs the package there, everybody else unpacks it. */
export function canInstallRedisServer() {
  return isOnPath('apt-get') && (isRoot() || isOnPath('dpkg'));
}

/**
 * Installs the distribution's package; without root it is unpacked into `folder`, and found there by later starts.
 * @throws Failure saying what went wrong and what to type
 */
export async function installRedisServer(folder) {
  try {
    if (isRoot()) await installPackage();
    else await unpackDebianPackage('redis-server', folder, BESIDE);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(`${error.message}\n\n${howToInstall()}`);
  }
  if (!hasRedisServer()) throw new Failure(howToInstall());
}

/** Instructions for installing a server on this machine, in full sentences. */
export function howToInstall(isAvailable = isOnPath) {
  const manager = Object.keys(INSTALL_COMMANDS).find((name) => isAvailable(name));
  const command = manager
    ? INSTALL_COMMANDS[manager]
    : 'see https://redis.io/docs/latest/operate/oss_and_stack/install/';
  return `Tracesheet needs redis-server or valkey-server, and neither is installed. Install one, then run the same command again:\n\n  ${command}\n\nOr set REDIS_URL to a Redis 6.2 or newer that already runs.`;
}

async function installPackage() {
  const apt = (...args) =>
    run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=60', ...args], {
      // RUNLEVEL=1 asks the package's script not to start a server of its own.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    });
  const install = () => apt('install', '-y', '--no-install-recommends', 'redis-server');
  try {
    await install();
  } catch {
    // The package lists are missing or old, or somebody was interrupted.
    await run('dpkg', ['--configure', '-a']);
    await apt('update');
    await install();
  }
  await stopSystemServer();
}

/** The package starts and enables a system-wide server where systemd runs; we need only the program. */
async function stopSystemServer() {
  if (!existsSync('/run/systemd/system')) return;
  await run('systemctl', ['disable', '--now', 'redis-server']).catch(() => undefined);
}

function isRoot() {
  return process.getuid?.() === 0;
}

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.some((folder) => existsSync(path.join(folder, program)));
}
