import { randomInt } from 'node:crypto';
import net from 'node:net';
import { listenFailure } from '../platform/listen-failure.js';

const LOCALHOST = '127.0.0.1';

/**
 * Below the ports that operating systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere). One of those could be taken by a
 * connection before its service listens, or while it restarts.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const ATTEMPTS = 20;

/** A free port on 127.0.0.1: the preferred one when nobody uses it, else any. */
export async function freePort(preferred?: number): Promise<number> {
  const random = Array.from({ length: ATTEMPTS }, () => randomInt(FIRST_PORT, LAST_PORT + 1));
  for (const candidate of preferred ? [preferred, ...random] : random) {
    const port = await tryToListen(candidate, LOCALHOST).catch(() => null);
    if (port) return port;
  }
  return tryToListen(0, LOCALHOST);
}

/** @throws StartError when the product cannot listen on the port */
export async function assertPortAvailable(port: number): Promise<void> {
  try {
    await listenOnAllAddresses(port);
  } catch (error) {
    throw listenFailure(error as NodeJS.ErrnoException, { port, choosePort: (other) => `PORT=${other} npm start` });
  }
}

async function listenOnAllAddresses(port: number): Promise<void> {
  try {
    await tryToListen(port, '::');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error;
    await tryToListen(port, '0.0.0.0'); // a machine without IPv6
  }
}

function tryToListen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address() as net.AddressInfo;
      server.close(() => resolve(address.port));
    });
  });
}
