import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Failure } from './failure.mjs';

/** The form of every API key; a test holds it against the one that the server accepts. */
const API_KEY = /^pl_[0-9A-Za-z]{40,120}$/;
const PROTOCOLS = {
  DATABASE_URL: ['postgres:', 'postgresql:'],
  REDIS_URL: ['redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:', 'redis+cluster:', 'rediss+cluster:'],
};

/** Switches, and the words for their values. A test compares them with those that the server accepts. */
const SWITCHES = ['CONSOLE', 'DEMO', 'OUTBOUND_ALLOW_PRIVATE'];
const ON_OFF = /^(on|off|true|false|yes|no|1|0)$/i;

/**
 * Refuses at once what could not start half a minute later, after everything has been installed. Whatever can only be
 * known then is left to the launcher.
 * @throws Failure saying what to change
 */
export async function assertStartable(env, folder) {
  const port = Number(env.PORT || '3000');
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Failure(`PORT must be a number from 1 to 65535, not "${env.PORT}".`);
  if (env.BOOTSTRAP_API_KEY && !API_KEY.test(env.BOOTSTRAP_API_KEY))
    throw new Failure(
      'BOOTSTRAP_API_KEY must be "pl_" followed by 40 to 120 letters and digits. This makes one:\n\n  echo "pl_$(openssl rand -hex 24)"',
    );
  for (const name of SWITCHES) {
    if (env[name] && !ON_OFF.test(env[name].trim()))
      throw new Failure(`${name} must be on or off, not "${env[name]}"; true/false, yes/no and 1/0 mean the same.`);
  }
  for (const [name, protocols] of Object.entries(PROTOCOLS)) assertUrl(name, env[name], protocols);
  assertWritable(folder);
  await assertFree(port);
}

/**
 * Checks the protocol only: the launcher parses the rest, and takes several hosts, which a `URL` cannot have.
 * The value may hold a password, so the message does not repeat it.
 */
function assertUrl(name, value, protocols) {
  const [, protocol] = /^(\S+?:)\/\/\S+$/.exec(value?.trim()) ?? [];
  if (!value || protocols.includes(protocol)) return;
  throw new Failure(
    `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`,
  );
}

function assertWritable(folder) {
  const probe = path.join(folder, `.probe-${process.pid}`);
  try {
    makeFolder(folder);
    writeFileSync(probe, '');
  } catch (error) {
    throw new Failure(
      `The data folder ${folder} cannot be written: ${reasonOf(error)}. Mend that, or choose another folder: DATA_DIR=… npm start`,
    );
  }
  rmSync(probe);
}

/** Step by step: where the system itself refuses a folder, as in /proc, Node's own recursion never ends. */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

function reasonOf({ code, message }) {
  const reasons = {
    EACCES: 'this user has no permission',
    EPERM: 'this user has no permission',
    EROFS: 'the file system is read-only',
    ENOSPC: 'there is no space left on the device',
    EDQUOT: 'the disk quota of this user is used up',
    ENOTDIR: 'a part of the path is a file',
    ENOENT: 'no folder can be made there',
  };
  return reasons[code] ?? message;
}

/** The launcher reports every other reason for which it cannot listen. */
async function assertFree(port) {
  const error = await new Promise((resolve) => {
    const server = net.createServer().once('error', resolve);
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(null)));
  });
  if (error?.code !== 'EADDRINUSE') return;
  const other = port < 65_535 ? port + 1 : port - 1;
  throw new Failure(
    `Port ${port} is already used by another program. Stop that one, or choose another port: PORT=${other} npm start`,
  );
}
